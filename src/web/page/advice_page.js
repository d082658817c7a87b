// The page of `advise`: the limit, what would change it, the ways to talk, and who is fastest on other links.

import { bar_chart } from "./bar_chart.js";
import { choice, element } from "./element.js";
import { bit_rate, counted, duration, significant } from "./format.js";
import { heat_map } from "./heat_map.js";
import { contestant_letter, lead_strength, lead_text, lead_words } from "./map_page.js";
import { notes_list } from "./notes.js";
import { color_of } from "./palette.js";
import { prediction_setting } from "./prediction_page.js";
import { table } from "./table.js";

/** @typedef {{label: string, as_one: boolean, learns: string | null, step_s: number, rows_per_s: number, share: number, memory_bytes: number}} AdvisedScheme */
/** @typedef {{what: string, scheme: string, step_s: number, rows_per_s: number, factor: number, cost: string | null}} Lever */
/** @typedef {{label: string, step_size: number, passes: number | null, half_width: number | null, seconds: number | null, seeds: number, unheard: boolean}} Way */
/** @typedef {{what: string, rows: number, seeds: number, ways: Way[]}} Target */
/**
 * cells: row by row, a row for each bandwidth; by_passes: by those that were measured, else by the steps of those that learn as one.
 * @typedef {{latencies_s: number[], bandwidths_bytes_per_s: number[], by_passes: boolean, cells: {first: string, step_s: number, ahead: number}[]}} AdviceMap
 */

/**
 * As `advise --json` prints it.
 * @typedef {object} AdviceDocument
 * @property {number} workers
 * @property {number} parameters
 * @property {number} batch
 * @property {number} compute_s
 * @property {number} latency_s
 * @property {number | null} bandwidth_bytes_per_s
 * @property {Record<string, string>} [settings]
 * @property {string[]} sentences
 * @property {AdvisedScheme[]} schemes
 * @property {string[]} left_out
 * @property {{name: string, seconds: number}[]} limits
 * @property {Lever[]} levers
 * @property {Target | null} target
 * @property {AdviceMap | null} map
 * @property {import("./notes.js").Note[]} [notes]
 */

/** @param {HTMLElement} parent @param {AdviceDocument} content */
function draw_limits(parent, {limits, schemes}) {
  bar_chart(parent, {
    id: "limits", title: `What a step of ${schemes[0].label} would be shorter by`, heading: "without",
    note: "Each alone: without it the rest stays as it is. Of computing: what it takes.",
    parts: [{name: "seconds", color: "var(--series-0)"}], label: () => "a step", format: () => duration,
    rows: () => limits.map(({name, seconds}) => ({name, values: [seconds]})),
  });
}

/** @param {HTMLElement} parent @param {AdviceDocument} content */
function draw_levers(parent, {levers}) {
  if (levers.length === 0) return;
  bar_chart(parent, {
    id: "levers", title: "What would change it", heading: "what",
    note: "Times the rows a second of the fastest that learns as one worker would. Who learns otherwise may need more passes for them.",
    parts: [{name: "times", color: "var(--series-1)"}], label: () => "times as many rows a second", format: () => significant,
    rows: () => levers.map(({what, factor}) => ({name: what, values: [factor]})),
  });
  const costly = levers.filter(({cost}) => cost);
  parent.append(element("ul", {}, ...costly.map(({what, cost}) => element("li", {}, `${what}: ${cost}`))));
}

/**
 * Over what the times are means. Who may be first has more seeds.
 * @param {Target} target
 */
export function passes_sentence({rows, seeds, ways}) {
  const more = ways.map((way) => way.seeds).filter((of_way) => of_way > seeds);
  const least = Math.min(...more), most = Math.max(...more);
  const finalists = more.length > 0 ? ` (${least < most ? `${least} to ` : ""}${most} of who may be first)` : "";
  return `Passes over ${counted(rows, "row")}, mean of ${counted(seeds, "seed")}${finalists}, by the predicted rates.`;
}

/** @param {HTMLElement} parent @param {AdviceDocument} content */
function draw_ways(parent, {schemes, target}) {
  const rate = (/** @type {string} */ label) => schemes.find((one) => one.label === label)?.rows_per_s ?? null;
  /** @type {Record<string, {text: string, label: string, format: import("./format.js").Format, rows: () => {name: string, values: (number | null)[]}[]}>} */
  const quantities = {
    ...(target ? {target: {text: `time to a ${target.what}`, label: "time to the target", format: duration,
      rows: () => target.ways.map(({label, seconds}) => ({name: label, values: [seconds]}))}} : {}),
    rate: {text: "rows a second", label: "rows a second, of all workers", format: significant,
      rows: () => schemes.map(({label}) => ({name: label, values: [rate(label)]}))},
    step: {text: "a step", label: "a step", format: duration, rows: () => schemes.map(({label, step_s}) => ({name: label, values: [step_s]}))},
  };
  let chosen = Object.keys(quantities)[0];
  const chart = bar_chart(parent, {
    id: "ways", title: "Ways to talk", heading: "scheme", missing: "not there",
    note: target ? passes_sentence(target)
      : "Those that learn as one worker with all rows of a step come first. Others may need more passes, which compare measures.",
    parts: [{name: "value", color: "var(--series-2)"}], label: () => quantities[chosen].label, format: () => quantities[chosen].format,
    rows: () => quantities[chosen].rows(),
    controls: [choice("show", Object.entries(quantities).map(([key, {text}]) => [key, text]), chosen, (key) => { chosen = key; chart.redraw(); })],
  });
}

/**
 * Who is first in some cell, in the order of how many.
 * @param {AdviceMap} map
 */
export function winners_of({cells}) {
  const names = [...new Set(cells.map(({first}) => first))];
  const won = (/** @type {string} */ name) => cells.filter(({first}) => first === name).length;
  return names.map((name) => ({name, won: won(name)})).sort((a, b) => b.won - a.won);
}

/**
 * "latency 1 ms, bandwidth 1 Gbit/s: ring first, 1.20 times as fast as the next"
 * @param {AdviceMap} map @param {number} row @param {number} column
 */
export function advice_cell_words(map, row, column) {
  const {first, ahead} = map.cells[row * map.latencies_s.length + column];
  return `latency ${duration(map.latencies_s[column])}, bandwidth ${bit_rate(8 * map.bandwidths_bytes_per_s[row])}: ${first} first, ${lead_words(ahead)}`;
}

/** @param {HTMLElement} parent @param {AdviceMap} map */
function draw_map(parent, map) {
  const winners = winners_of(map), wide = map.latencies_s.length;
  const largest = Math.max(...map.cells.map(({ahead}) => ahead));
  const here = {row: (map.bandwidths_bytes_per_s.length - 1) / 2, column: (wide - 1) / 2};
  heat_map(parent, {
    id: "around", title: "Who is first on other links",
    note: `${map.by_passes ? "By the time to the target, with the passes that were measured" : "By the step, of those that learn as one worker would"}. ` +
      "The letter says who, the number how many times as fast as the next; in the middle are the links that were asked about.",
    columns: map.latencies_s.map((value) => duration(value)), rows: map.bandwidths_bytes_per_s.map((value) => bit_rate(8 * value)),
    column_label: "latency", row_label: "bandwidth",
    cell: (row, column) => {
      const {first, ahead} = map.cells[row * wide + column];
      const who = winners.findIndex(({name}) => name === first);
      const mark = row === here.row && column === here.column ? " here" : "";
      return {text: `${contestant_letter(who)}${mark}\n${lead_text(ahead)}`, name: advice_cell_words(map, row, column),
        color: color_of(who), strength: lead_strength(ahead, largest)};
    },
    legend: winners.map(({name, won}, at) => {
      const sample = element("span", {class: "swatch"});
      sample.style.background = color_of(at);
      return element("span", {class: "entry"}, sample, `${contestant_letter(at)}: ${name}, first in ${won}`);
    }),
    data: () => [{heading: "latency, s", values: map.cells.map((_, at) => map.latencies_s[at % wide])},
      {heading: "bandwidth, B/s", values: map.cells.map((_, at) => map.bandwidths_bytes_per_s[Math.floor(at / wide)])},
      {heading: "first", values: map.cells.map(({first}) => first)},
      {heading: "times as fast as the next", values: map.cells.map(({ahead}) => ahead)}],
  });
}

/** @param {HTMLElement} parent @param {AdviceDocument} content */
export function advice_page(parent, content) {
  parent.append(element("h1", {}, "What limits these workers"),
    ...content.sentences.map((sentence) => element("p", {class: "answer"}, sentence)),
    element("p", {class: "setting"}, prediction_setting(content)), ...notes_list(content.notes));
  if (content.target) draw_ways(parent, content);
  draw_limits(parent, content);
  draw_levers(parent, content);
  if (!content.target) draw_ways(parent, content);
  if (content.map) draw_map(parent, content.map);
  parent.append(...content.left_out.map((text) => element("p", {}, `Not ${text}`)));
  const keys = Object.keys(content.schemes[0]);
  parent.append(element("section", {id: "figures"}, table(keys.map((heading) =>
    ({heading, values: content.schemes.map((row) => /** @type {any} */ (row)[heading])})), "All ways to talk; a heading sorts")));
}
