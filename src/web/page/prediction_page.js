// The pages of `predict`: what a step takes, by scheme; over one varied quantity; with and without a
// codec.

import { bar_chart } from "./bar_chart.js";
import { dot_chart } from "./dot_chart.js";
import { choice, element } from "./element.js";
import { bit_rate, bytes, clauses, counted, duration, least_of, listed, percent, significant, times_as } from "./format.js";
import { line_chart } from "./line_chart.js";
import { notes_list } from "./notes.js";
import { table } from "./table.js";

/**
 * @typedef {object} PredictionRow
 * @property {string} label
 * @property {string} scheme
 * @property {string | null} way
 * @property {number} servers
 * @property {number | null} closed_form_s
 * @property {number} step_s
 * @property {number} [step_error_s] of a mean: in 998 of 1000 cases it is within this
 * @property {number} epoch_s
 * @property {number} messages_per_step
 * @property {number} bytes_per_step
 */

/**
 * As `predict --json` prints it.
 * @typedef {object} PredictionDocument
 * @property {number} workers
 * @property {number} parameters
 * @property {number} compute_s
 * @property {number} batch
 * @property {number} epoch_rows
 * @property {number} latency_s
 * @property {number | null} bandwidth_bytes_per_s null: no limit
 * @property {Record<string, string>} [settings] that are not as without flags, beside these
 * @property {PredictionRow[]} rows
 * @property {import("./notes.js").Note[]} [notes]
 * @property {{transmit_s: number, reduce_s: number, update_s: number,
 *   rows: {name: string, formula: string, seconds: number}[]}} lower_bounds
 */

/** @typedef {{low: number, high: number, before: string, after: string}} SweepCrossing */
/**
 * As `predict --vary --json` prints it, without what is varied.
 * @typedef {object} SweepDocument
 * @property {string} vary
 * @property {string | null} unit
 * @property {number} [workers]
 * @property {number} [parameters]
 * @property {number} [compute_s]
 * @property {number} [batch]
 * @property {number} [latency_s]
 * @property {number | null} [bandwidth_bytes_per_s] null: no limit
 * @property {Record<string, string>} [settings]
 * @property {import("./notes.js").Note[]} [notes]
 * @property {{value: number | string | null, cheapest: string | null, rows: PredictionRow[]}[]} points
 * @property {SweepCrossing[]} crossings
 */

/**
 * @typedef {object} BreakEvenRow
 * @property {string} label
 * @property {string} scheme
 * @property {string | null} way
 * @property {string} codec
 * @property {number} plain_step_s
 * @property {number} step_s
 * @property {number} plain_bytes_per_step
 * @property {number} bytes_per_step
 * @property {"always" | "never" | "below"} pays
 * @property {number | null} break_even_bytes_per_s
 */

/**
 * As `predict --break-even --json` prints it.
 * @typedef {{workers: number, parameters: number, compute_s: number, latency_s: number, bandwidth_bytes_per_s: number | null,
 *   settings?: Record<string, string>, notes?: import("./notes.js").Note[], rows: BreakEvenRow[]}} BreakEvenDocument
 */

/**
 * What all figures are for, as far as the document has it: what is varied is not among it.
 * @param {Partial<Omit<PredictionDocument, "rows">>} content
 */
export function prediction_setting({workers, parameters, compute_s, batch, epoch_rows, latency_s, bandwidth_bytes_per_s, settings}) {
  const machines = [
    ...(workers === undefined ? [] : [counted(workers, "worker")]),
    ...(parameters === undefined ? [] : [`a model of ${significant(parameters, 9)} ${parameters === 1 ? "parameter" : "parameters"}`]),
    ...(compute_s === undefined ? [] : [`${duration(compute_s)} for a minibatch${batch === undefined ? "" : ` of ${counted(batch, "row")}`}`]),
    ...(epoch_rows === undefined ? [] : [`a pass over ${counted(epoch_rows, "row")}`]),
  ];
  const network = [
    ...(latency_s === undefined ? [] : [`${duration(latency_s)} a message`]),
    ...(bandwidth_bytes_per_s === undefined ? []
      : [bandwidth_bytes_per_s === null ? "no limit of bandwidth" : bit_rate(8 * bandwidth_bytes_per_s)]),
  ];
  return `${machines.join(", ")}; ${network.join(", ")}${clauses(settings)}.`;
}

/**
 * "5.03 ms", and of a mean "5.03 ms ± 12 µs".
 * @param {PredictionRow} row
 */
export function step_text({step_s, step_error_s}) {
  return step_error_s ? `${duration(step_s)} ± ${duration(step_error_s)}` : duration(step_s);
}

/**
 * "ring takes", "ring and tree take", "ring and 4 others take"
 * @param {PredictionRow[]} rows
 */
function who_takes(rows) {
  const names = rows.map(({label}) => label);
  if (names.length > 3) return `${names[0]} and ${names.length - 1} others take`;
  return `${listed(names)} ${names.length === 1 ? "takes" : "take"}`;
}

/** Of these all average all gradients of a step, as they are. */
const exact_schemes = ["ring", "all-reduce", "ps-sync"];

/** @param {PredictionDocument} content @returns {string[]} what a reader first wants to know */
export function prediction_sentences({rows, workers}) {
  const sending = rows.filter((row) => row.messages_per_step > 0);
  if (sending.length === 0) {
    return [`None of these schemes sends a message; a step of ${rows[0].label} takes ${step_text(rows[0])}.`];
  }
  const among = `among ${counted(workers, "worker")}`;
  if (rows.length === 1) return [`A step of ${rows[0].label} takes ${step_text(rows[0])} ${among}.`];
  const schemes = new Set(sending.map(({scheme}) => scheme)).size;
  const whose = schemes === sending.length ? counted(schemes, "scheme") : `${sending.length} ways of ${counted(schemes, "scheme")}`;
  const order = [...sending].sort((a, b) => a.step_s - b.step_s);
  const best = least_of(order, ({step_s}) => step_s), worst = order[order.length - 1];
  const sentences = [`Of ${whose} that ${sending.length === 1 ? "sends" : "send"} messages ${who_takes(best)} the shortest step ` +
    `${among}, ${step_text(order[0])}${best.length < order.length ? `; no step is longer than that of ${worst.label}, ${step_text(worst)}.` : "."}`];
  const alone = rows.find((row) => row.scheme === "sequential");
  if (alone) sentences.push(`One machine by itself (sequential) takes ${step_text(alone)} for as many rows.`);
  const exact = order.filter((row) => exact_schemes.includes(row.scheme));
  if (exact.length > 0 && !best.includes(exact[0])) {
    const names = [...new Set(exact.map(({scheme}) => scheme))];
    const of_names = names.length === 1 ? "" : `Of ${listed(names)}, which average all gradients in every step, `;
    const first = `${exact[0].label} takes the shortest: ${step_text(exact[0])}.`;
    sentences.push(of_names ? of_names + first
      : `A step of ${exact[0].label}, which averages all gradients, takes ${step_text(exact[0])}.`);
  }
  return sentences;
}

/** @type {[string, string, import("./format.js").Format][]} key, label, format */
const prediction_quantities = [
  ["step_s", "a step of a long run", duration],
  ["closed_form_s", "the first step, by its closed form", duration],
  ["epoch_s", "a pass over the data, of a long run", duration],
  ["bytes_per_step", "bytes of a step, all ranks", bytes],
  ["messages_per_step", "messages of a step, all ranks", significant],
];

const kinds_of_schemes = [
  {name: "with a server", color: "var(--series-1)", holds: (/** @type {PredictionRow} */ row) => row.messages_per_step > 0 && row.servers > 0},
  {name: "workers only", color: "var(--series-0)", holds: (/** @type {PredictionRow} */ row) => row.messages_per_step > 0 && row.servers === 0},
  {name: "no messages", color: "var(--series-6)", holds: (/** @type {PredictionRow} */ row) => row.messages_per_step === 0},
];

/**
 * The rows in the order of a quantity, those without it last.
 * @param {PredictionRow[]} rows @param {string} key
 */
export function sorted_predictions(rows, key) {
  const value = (/** @type {any} */ row) => row[key] ?? Infinity;
  return [...rows].sort((a, b) => (value(a) === value(b) ? 0 : value(a) - value(b)));
}

/**
 * Of each scheme the way with the least.
 * @param {PredictionRow[]} sorted
 */
export function best_ways(sorted) {
  return sorted.filter((row, at) => sorted.findIndex(({scheme}) => scheme === row.scheme) === at);
}

const few = 30;

/** @param {HTMLElement} parent @param {PredictionDocument} content */
export function prediction_page(parent, content) {
  const {rows} = content;
  parent.append(element("h1", {}, "What a step takes, on paper"),
    ...prediction_sentences(content).map((sentence) => element("p", {class: "answer"}, sentence)),
    element("p", {class: "setting"}, `${prediction_setting(content)} A step: one minibatch of every worker.` +
      (rows.some(({step_error_s}) => step_error_s) ? " ±: the mean of what is drawn at random or never comes round again; in 998 of 1000 cases it is within that." : "")));
  parent.append(...notes_list(content.notes));
  draw_predictions(parent, rows);
  draw_bounds(parent, content.lower_bounds);
  const keys = Object.keys(rows[0]);
  parent.append(element("section", {id: "figures"}, table(keys.map((heading) =>
    ({heading, values: rows.map((row) => /** @type {any} */ (row)[heading])})), "All schemes; a heading sorts")));
}

/** @param {HTMLElement} parent @param {PredictionRow[]} rows */
function draw_predictions(parent, rows) {
  let [key, label, format] = prediction_quantities[0];
  let which = rows.length > few + 10 ? "few" : "all";
  const shown = () => {
    const sorted = sorted_predictions(rows, key);
    return which === "all" ? sorted : which === "best" ? best_ways(sorted) : sorted.slice(0, few);
  };
  const chart = bar_chart(parent, {
    id: "schemes", title: "Schemes, the shortest first", heading: "scheme",
    parts: kinds_of_schemes.map(({name, color}) => ({name, color})), missing: "no closed form",
    label: () => label, format: () => format,
    rows: () => shown().map((row) => ({name: row.label,
      values: kinds_of_schemes.map(({holds}) => (holds(row) ? /** @type {any} */ (row)[key] : null))})),
    controls: [choice("show", prediction_quantities.map(([name, text]) => [name, text]), key, (value) => {
      [key, label, format] = prediction_quantities.find(([name]) => name === value) ?? prediction_quantities[0];
      chart.redraw();
    }), choice("of", [["few", `the ${Math.min(few, rows.length)} with the least`], ["best", "each scheme its best way"], ["all", `all ${rows.length}`]], which,
      (value) => { which = value; chart.redraw(); })],
  });
}

/** @param {HTMLElement} parent @param {PredictionDocument["lower_bounds"]} bounds */
function draw_bounds(parent, {transmit_s, reduce_s, update_s, rows}) {
  bar_chart(parent, {
    id: "bounds", title: "What one exchange of the model takes by formula", heading: "way",
    note: `Without latency and the computing of gradients: T = ${duration(transmit_s)} to send the model, R = ${duration(reduce_s)} to add one, ` +
      `U = ${duration(update_s)} to update it, both at rates that are taken to be so, and not in the predictions. What overlaps a push and a pull takes less.`,
    parts: [{name: "seconds", color: "var(--series-0)"}], label: () => "by formula", format: () => duration,
    rows: () => rows.map(({name, seconds}) => ({name, values: [seconds]})),
  });
  parent.append(table([{heading: "way", values: rows.map(({name}) => name)},
    {heading: "formula", values: rows.map(({formula}) => formula)},
    {heading: "seconds", values: rows.map(({seconds}) => seconds)}], "One exchange by formula"));
}

/** @param {string | null} unit of what is varied @returns {import("./format.js").Format} */
export function format_of_unit(unit) {
  if (unit === "s") return duration;
  if (unit === "B/s") return (value, digits) => bit_rate(8 * value, digits);
  return unit === "B" ? bytes : significant;
}

/** @param {SweepDocument} sweep @returns {string[]} where the cheapest changes */
export function crossing_sentences({vary, unit, crossings}) {
  const format = format_of_unit(unit);
  return crossings.map(({low, high, before, after}) => {
    // As in the program's own table: closer than this is a point.
    const where = high > 1.002 * low ? `Between ${vary} ${format(low)} and ${format(high)}` : `At ${vary} ${format(high)}`;
    return `${where} the shortest step changes from ${before} to ${after}.`;
  });
}

/** @param {SweepDocument} sweep @returns {string[]} what a reader first wants to know */
export function sweep_sentences(sweep) {
  const known = sweep.points.filter(({cheapest}) => cheapest !== null);
  if (known.length === 0) return ["None of these schemes sends a message."];
  const text = (/** @type {{value: number | string | null}} */ {value}) =>
    (value === null ? "without a limit" : typeof value === "string" ? value : format_of_unit(sweep.unit)(value));
  if (sweep.unit === null) {
    return [...new Set(known.map(({cheapest}) => cheapest))].map((name) =>
      `${name} has the shortest step of those that send messages at ${sweep.vary} ${listed(known.filter(({cheapest}) => cheapest === name).map(text))}.`);
  }
  const [first, last] = [known[0], known[known.length - 1]];
  if (sweep.crossings.length === 0) {
    return [`From ${sweep.vary} ${text(first)} to ${text(last)} ${first.cheapest} always has the shortest step of those that send messages.`];
  }
  return [`At ${sweep.vary} ${text(first)} ${first.cheapest} has the shortest step of those that send messages, at ${text(last)} ${last.cheapest}.`,
    ...crossing_sentences(sweep)];
}

/** @param {HTMLElement} parent @param {SweepDocument} content */
export function sweep_page(parent, content) {
  const {vary, unit, points} = content;
  const [first, ...others] = sweep_sentences(content);
  parent.append(element("h1", {}, `What a step takes, over ${vary}`), element("p", {class: "answer"}, first),
    element("ul", {}, ...others.map((sentence) => element("li", {}, sentence))),
    element("p", {class: "setting"}, prediction_setting(content)));
  let [key, label, format_y] = prediction_quantities[0];
  const names = points[0].rows.map(({label}) => label);
  const of = (/** @type {PredictionRow} */ row) => /** @type {any} */ (row)[key];
  const controls = [choice("show", prediction_quantities.map(([name, text]) => [name, text]), key, (value) => {
    [key, label, format_y] = prediction_quantities.find(([name]) => name === value) ?? prediction_quantities[0];
    chart.redraw();
  })];
  const about = {id: "sweep", title: `Schemes over ${vary}`, controls};
  const chart = unit === null
    ? bar_chart(parent, {...about, heading: vary, parts: [{name: "all", color: kinds_of_schemes[0].color}], label: () => label, format: () => format_y,
      rows: () => points.flatMap((point) => point.rows.map((row) => ({name: `${point.value}: ${row.label}`, values: [of(row)]})))})
    : line_chart(parent, {...about, log: {x: true, y: true},
      x: () => ({label: vary, format: format_of_unit(unit), at: points.flatMap(({value}) => (typeof value === "number" ? [value] : []))}), y: () => ({label, format: format_y}),
      series: () => names.map((name, at) => ({name,
        points: points.map((point) => ({x: /** @type {number | null} */ (point.value), y: of(point.rows[at])}))}))});
}

/** @param {BreakEvenRow} row */
function coded_name(row) {
  return `${row.label}, ${row.codec}`;
}

/** @param {BreakEvenDocument} content @returns {string[]} what a reader first wants to know */
export function break_even_sentences({rows, workers, bandwidth_bytes_per_s}) {
  const pays = rows.filter((row) => row.step_s < row.plain_step_s);
  const at = bandwidth_bytes_per_s === null ? "without a limit of bandwidth" : `at ${bit_rate(8 * bandwidth_bytes_per_s)}`;
  const sentences = [`Among ${counted(workers, "worker")}, ${at}, ${pays.length} of ${rows.length} ${rows.length === 1 ? "pair" : "pairs"} of scheme and codec ` +
    `${pays.length === 1 ? "takes" : "take"} a shorter step than without the codec.`];
  if (pays.length > 0) {
    const gain = (/** @type {BreakEvenRow} */ row) => row.plain_step_s / row.step_s;
    const best = pays.reduce((found, row) => (gain(row) > gain(found) ? row : found));
    sentences.push(`${coded_name(best)} gains most: a step takes ${duration(best.step_s)} in place of ${duration(best.plain_step_s)}, ` +
      `${times_as(gain(best), "fast")}.`);
  }
  const never = rows.filter(({pays: when}) => when === "never").length, always = rows.filter(({pays: when}) => when === "always").length;
  if (never > 0) sentences.push(`${never} never ${never === 1 ? "pays" : "pay"}, at any bandwidth.`);
  if (always > 0) sentences.push(`${always} always ${always === 1 ? "pays" : "pay"}, at any bandwidth.`);
  return [...sentences, "How many steps training then needs is another question, which compare answers."];
}

/** @param {BreakEvenRow} row */
export function break_even_words({pays, break_even_bytes_per_s}) {
  if (pays === "never" || pays === "always") return pays;
  return break_even_bytes_per_s === null ? "" : bit_rate(8 * break_even_bytes_per_s);
}

/** @param {HTMLElement} parent @param {BreakEvenDocument} content */
export function break_even_page(parent, content) {
  const {rows, bandwidth_bytes_per_s: here} = content;
  parent.append(element("h1", {}, "Does a codec pay?"),
    ...break_even_sentences(content).map((sentence) => element("p", {class: "answer"}, sentence)),
    element("p", {class: "setting"}, prediction_setting(content)));
  const schemes = [...new Set(rows.map(({label}) => label))];
  let scheme = "";
  const chosen = () => rows.filter((row) => scheme === "" || row.label === scheme);
  const only = choice("of", [["", "all schemes"], ...schemes.map((name) => /** @type {[string, string]} */ ([name, name]))], "",
    (value) => { scheme = value; limits.redraw(); gains.redraw(); });
  if (schemes.length > 1) parent.append(element("p", {class: "controls"}, only));
  const limits = dot_chart(parent, {
    id: "break-even", title: "The bandwidth up to which a codec pays", heading: "scheme, codec", log: true, stems: true,
    note: "Below it a step is shorter with the codec, the time of encoding and decoding included; above it without.",
    parts: [{name: "bits a second", color: "var(--series-0)"}],
    rows: () => chosen().map((row) => ({name: coded_name(row), words: break_even_words(row),
      values: [row.break_even_bytes_per_s === null ? null : 8 * row.break_even_bytes_per_s]})),
    label: () => "bandwidth", format: bit_rate, level: () => (here === null ? null : {x: 8 * here, label: `here: ${bit_rate(8 * here)}`}),
  });
  const gains = dot_chart(parent, {
    id: "steps", title: "A step with the codec and without", heading: "scheme, codec", log: true,
    parts: [{name: "without", color: "var(--series-1)"}, {name: "with the codec", color: "var(--series-0)"}],
    rows: () => chosen().map((row) => ({name: coded_name(row), values: [row.plain_step_s, row.step_s],
      words: `${percent(row.bytes_per_step / row.plain_bytes_per_step)} of the bytes`})),
    label: () => "a step", format: duration,
  });
}
