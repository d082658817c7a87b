// The page of `netcheck`: what closed forms say each collective takes, beside what was measured.

import { bar_chart } from "./bar_chart.js";
import { dot_chart } from "./dot_chart.js";
import { choice, element } from "./element.js";
import { bit_rate, bytes, counted, duration, least_of, listed, significant } from "./format.js";
import { table } from "./table.js";

/**
 * As `netcheck --json` prints it.
 * @typedef {object} NetcheckRow
 * @property {string} collective
 * @property {number} workers
 * @property {number} messages_per_rank of the worker that sends most
 * @property {number} bytes_per_rank
 * @property {number} closed_form_s
 * @property {number} measured_s
 * @property {number} measured_p99_s
 * @property {number} ratio measured to closed form
 */

/** @param {{rows: NetcheckRow[]}} content @returns {string[]} what a reader first wants to know */
export function netcheck_sentences({rows}) {
  const {workers} = rows[0], fastest = least_of(rows, ({measured_s}) => measured_s);
  const off = (/** @type {NetcheckRow} */ row) => Math.abs(Math.log(row.ratio));
  const worst = rows.reduce((found, row) => (off(row) > off(found) ? row : found));
  const exact = off(worst) < 5e-7;
  const among = `among ${counted(workers, "worker")}`;
  if (rows.length === 1) {
    return [`${worst.collective} takes ${duration(worst.measured_s)} ${among}: ${exact ? "what its closed form says, to six digits"
      : `${significant(worst.ratio)} times what its closed form says`}.`];
  }
  const agreement = exact ? `All ${rows.length} collectives take what their closed forms say, to six digits.`
    : `Of ${rows.length} collectives ${worst.collective} is furthest from its closed form: it takes ${significant(worst.ratio)} times as long.`;
  const first = fastest.length === rows.length ? `All are as fast ${among}`
    : `${listed(fastest.map(({collective}) => collective))} ${fastest.length === 1 ? "is" : "are"} the fastest ${among}`;
  return [agreement, `${first}: ${duration(fastest[0].measured_s)}.`];
}

/** @type {Record<string, {label: string, format: import("./format.js").Format}>} */
const traffic_quantities = {
  bytes_per_rank: {label: "bytes sent", format: bytes},
  messages_per_rank: {label: "messages sent", format: significant},
};

/**
 * @typedef {object} NetcheckDocument
 * @property {number} latency_s
 * @property {number | null} bandwidth_bytes_per_s null: no limit
 * @property {string} ports
 * @property {number} servers or groups, of the collectives that take them
 * @property {number} bytes of each worker's vector
 * @property {number | null} repetitions null: simulated
 * @property {NetcheckRow[]} rows
 */

/** @param {Omit<NetcheckDocument, "rows">} content what all rows are for */
export function netcheck_setting({latency_s, bandwidth_bytes_per_s, ports, servers, bytes: size, repetitions}) {
  const times = repetitions === null ? "simulated" : repetitions === 1 ? "really waited for, once" : `really waited for, ${repetitions} times`;
  return `${bytes(size)} a vector, ${duration(latency_s)} a message, ` +
    `${bandwidth_bytes_per_s === null ? "no limit of bandwidth" : bit_rate(8 * bandwidth_bytes_per_s)}, ports ${ports}; ` +
    `${counted(servers, "server")} or ${counted(servers, "group")} where a collective has any; ${times}.`;
}

/** @param {HTMLElement} parent @param {NetcheckDocument} content */
export function netcheck_page(parent, content) {
  const {rows} = content;
  const waited = rows.some((row) => row.measured_p99_s !== row.measured_s);
  parent.append(element("h1", {}, "Does the network take what the formulas say?"),
    ...netcheck_sentences(content).map((sentence) => element("p", {class: "answer"}, sentence)),
    element("p", {class: "setting"}, netcheck_setting(content)));
  dot_chart(parent, {
    id: "times", title: "Closed form and measurement", heading: "collective", log: true,
    note: "A ring is the closed form, a dot the measurement: they agree where the dot is within its ring.",
    parts: [{name: "closed form", color: "var(--series-1)"}, {name: waited ? "median" : "measured", color: "var(--series-0)"},
      ...(waited ? [{name: "99 of 100 within", color: "var(--series-2)"}] : [])],
    rows: () => rows.map((row) => ({name: row.collective,
      values: [row.closed_form_s, row.measured_s, ...(waited ? [row.measured_p99_s] : [])], words: duration(row.measured_s)})),
    label: () => "time of one all-reduce", format: duration,
  });
  dot_chart(parent, {
    id: "ratio", title: "Measured time to closed form", heading: "collective",
    parts: [{name: "ratio", color: "var(--series-0)"}],
    rows: () => rows.map((row) => ({name: row.collective, values: [row.ratio]})),
    label: () => "measured / closed form", format: (value, digits = 6) => significant(value, digits), level: () => ({x: 1, label: "equal"}), include: [0.9, 1.1],
  });
  let key = "bytes_per_rank";
  const traffic = bar_chart(parent, {
    id: "traffic", title: "What a rank sends", note: "The worker that sends most.", heading: "collective",
    parts: [{name: "most of a worker", color: "var(--series-0)"}], label: () => traffic_quantities[key].label,
    format: () => traffic_quantities[key].format,
    rows: () => rows.map((row) => ({name: row.collective, values: [/** @type {any} */ (row)[key]]})),
    controls: [choice("as", Object.entries(traffic_quantities).map(([name, {label}]) => [name, label]), key, (value) => {
      key = value;
      traffic.redraw();
    })],
  });
  parent.append(element("section", {id: "figures"}, table(Object.keys(rows[0]).map((heading) =>
    ({heading, values: rows.map((row) => /** @type {any} */ (row)[heading])})), "All figures")));
}
