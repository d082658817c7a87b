// The page of `compare --map`: who reaches the target first in each cell, by how much, and beneath it
// the curve behind a cell.

import { bar_chart } from "./bar_chart.js";
import { element } from "./element.js";
import { duration, significant } from "./format.js";
import { heat_map } from "./heat_map.js";
import { line_chart } from "./line_chart.js";
import { notes_list } from "./notes.js";
import { color_of } from "./palette.js";
import { as_read, axis_of_texts } from "./typed_values.js";

/** @typedef {{first: string | null, ahead: number | null, seconds_to_target: (number | null)[]}} MapCell */

/**
 * As `compare --map … --json` prints it.
 * @typedef {object} CrossoverMap
 * @property {number | null} target_loss
 * @property {number | null} target_accuracy
 * @property {number | null} target_gradient
 * @property {{option: string, values: string[]}} across
 * @property {{option: string, values: string[]}} down
 * @property {{label: string, lr: number, predicted: boolean, within?: string | null}[]} contestants within: it stands apart, on one machine
 * @property {MapCell[]} cells row by row
 * @property {boolean} [interrupted] then cells lack contestants that might be first
 * @property {import("./notes.js").Note[]} [notes] of the runs that it is made of
 */

/**
 * As in the program's table: A, B, …, Z, A1, …
 * @param {number} index
 */
export function contestant_letter(index) {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : `${letter}${Math.floor(index / 26)}`;
}

/**
 * By how much, close to 1 as well: "1.01".
 * @param {number} ahead
 */
export function lead_text(ahead) {
  return ahead < 10 ? ahead.toFixed(2) : significant(ahead, 3);
}

/**
 * "1.01 times as fast as the next", and "as fast as the next" where nobody could tell.
 * @param {number} ahead
 */
export function lead_words(ahead) {
  return `${lead_text(ahead) === "1.00" ? "" : `${lead_text(ahead)} times `}as fast as the next`;
}

/** @param {CrossoverMap} map */
export function map_target(map) {
  if (map.target_accuracy !== null) return `an accuracy of ${significant(map.target_accuracy)}`;
  if (map.target_gradient !== null) return `a squared gradient norm of ${significant(map.target_gradient)}`;
  return `a training loss of ${significant(map.target_loss ?? 0)}`;
}

/**
 * In how many cells each contestant is first.
 * @param {CrossoverMap} map
 */
export function cells_won(map) {
  return map.contestants.map(({label}) => map.cells.filter((cell) => cell.first === label).length);
}

/**
 * Of the cell with the largest lead; -1 without any.
 * @param {CrossoverMap} map
 */
export function widest_lead(map) {
  let best = -1;
  map.cells.forEach(({ahead}, at) => {
    if (ahead !== null && (best < 0 || ahead > Number(map.cells[best].ahead))) best = at;
  });
  return best;
}

/**
 * "latency 10 µs, bandwidth 1 Mbit/s"
 * @param {CrossoverMap} map @param {number} index of a cell
 */
export function cell_place(map, index) {
  const wide = map.across.values.length;
  return `${map.across.option} ${as_read(map.across.values[index % wide])}, ${map.down.option} ${as_read(map.down.values[Math.floor(index / wide)])}`;
}

/** @param {CrossoverMap} map @returns {string[]} what a reader first wants to know */
export function map_sentences(map) {
  if (map.interrupted) {
    return ["It was interrupted before all its runs had come to their end: a cell has those that had, and nobody can say who is first in it."];
  }
  const won = cells_won(map);
  const order = won.map((_, at) => at).filter((at) => won[at] > 0).sort((a, b) => won[b] - won[a]);
  const apart = map.contestants.filter(({within}) => within);
  const never = map.contestants.filter(({within}, at) => won[at] === 0 && !within).map(({label}) => label);
  const nobody = map.cells.filter(({first}) => first === null).length;
  const winners = order.map((at, place) => place === 0
    ? `${map.contestants[at].label} is the first to reach ${map_target(map)} in ${won[at]} of ${map.cells.length} cells`
    : `${map.contestants[at].label} in ${won[at]}`);
  const sentences = winners.length > 0 ? [`${winners.join(", ")}.`] : [`Nobody reaches ${map_target(map)} in any cell.`];
  if (never.length > 0 && winners.length > 0) sentences.push(`Nowhere first: ${never.join(", ")}.`);
  if (nobody > 0 && winners.length > 0) sentences.push(`In ${nobody} ${nobody === 1 ? "cell" : "cells"} nobody reaches it.`);
  if (apart.length > 0) {
    sentences.push(`Apart from them, as the network lies between machines and their workers share memory: ${apart.map(({label, within}) => `${label}, within ${within}`).join("; ")}.`);
  }
  const widest = widest_lead(map);
  if (widest >= 0) {
    const {first, ahead} = map.cells[widest];
    sentences.push(`The largest lead is at ${cell_place(map, widest)}: there ${first} is ${lead_words(Number(ahead))}.`);
  }
  return sentences;
}

/**
 * All of a cell in words.
 * @param {CrossoverMap} map @param {number} index
 */
export function cell_words(map, index) {
  const {first, ahead, seconds_to_target} = map.cells[index];
  const place = cell_place(map, index);
  if (first === null) return `${place}: nobody reaches the target`;
  const seconds = seconds_to_target[map.contestants.findIndex(({label}) => label === first)];
  const lead = ahead === null ? ", alone" : `, ${lead_words(ahead)}`;
  return `${place}: ${first} first, after ${seconds === null ? "?" : duration(seconds)}${lead}`;
}

/**
 * How strong a lead's colour is: by its logarithm, of the largest one's.
 * @param {number | null} ahead @param {number} largest
 */
export function lead_strength(ahead, largest) {
  if (ahead === null) return 1;
  return largest > 1 ? Math.log(ahead) / Math.log(largest) : 0;
}

/** @param {CrossoverMap} map */
function map_legend(map) {
  const won = cells_won(map);
  return map.contestants.map(({label, predicted, lr, within}, at) => {
    const sample = element("span", {class: "swatch"});
    sample.style.background = color_of(at);
    return element("span", {class: "entry", title: `step size ${significant(lr)}`}, sample,
      `${contestant_letter(at)}: ${label}, ${within ? "on one machine" : `first in ${won[at]}`}, ${predicted ? "predicted" : "run"}`);
  });
}

/** @param {CrossoverMap} map */
function map_columns(map) {
  const wide = map.across.values.length;
  return [
    {heading: map.across.option, values: map.cells.map((_, at) => map.across.values[at % wide])},
    {heading: map.down.option, values: map.cells.map((_, at) => map.down.values[Math.floor(at / wide)])},
    {heading: "first", values: map.cells.map(({first}) => first)},
    {heading: "times as fast as the next", values: map.cells.map(({ahead}) => ahead)},
    ...map.contestants.map(({label}, at) =>
      ({heading: `${label}: seconds to target`, values: map.cells.map((cell) => cell.seconds_to_target[at])})),
  ];
}

/**
 * How the times were found.
 * @param {CrossoverMap} map
 */
export function map_method(map) {
  const names = (/** @type {boolean} */ predicted) =>
    map.contestants.filter((one) => one.predicted === predicted).map(({label}) => label).join(", ");
  const parts = [];
  if (names(true)) parts.push(`Predicted in each cell, from the steps of one run and what a step takes there: ${names(true)}.`);
  if (names(false)) parts.push(`Run in each cell: ${names(false)}.`);
  return parts.join(" ");
}

/** @param {HTMLElement} parent @param {CrossoverMap} map */
export function map_page(parent, map) {
  const wide = map.across.values.length;
  const start = widest_lead(map) >= 0 ? widest_lead(map) : 0;
  let chosen = start;
  const largest = Math.max(1, ...map.cells.map(({ahead}) => ahead ?? 1));
  parent.append(element("h1", {}, `Who is first, by ${map.across.option} and ${map.down.option}`),
    ...map_sentences(map).map((sentence) => element("p", {class: "answer"}, sentence)),
    element("p", {class: "setting"}, map_method(map)), ...notes_list(map.notes));
  heat_map(parent, {
    id: "map", title: `First to reach ${map_target(map)}`,
    note: "The letter and the colour say who is first, the number how many times as fast as the next; " +
      "the stronger the colour, the larger that lead. Choose a cell to see the times behind it.",
    columns: map.across.values.map(as_read), rows: map.down.values.map(as_read),
    column_label: map.across.option, row_label: map.down.option,
    selected: {row: Math.floor(start / wide), column: start % wide},
    cell: (row, column) => {
      const {first, ahead} = map.cells[row * wide + column];
      const name = cell_words(map, row * wide + column);
      if (first === null) return {text: "–", name, color: "transparent", strength: 0};
      const who = map.contestants.findIndex(({label}) => label === first);
      return {text: `${contestant_letter(who)}${ahead === null ? "" : `\n${lead_text(ahead)}`}`, name,
        color: color_of(who), strength: lead_strength(ahead, largest)};
    },
    clicked: (row, column) => { chosen = row * wide + column; detail.redraw(); },
    legend: map_legend(map), data: () => map_columns(map),
  });
  const detail = draw_cell_detail(parent, map, () => chosen);
  detail.redraw();
}

/**
 * The times in a cell, and over the row that it is in.
 * @param {HTMLElement} parent @param {CrossoverMap} map @param {() => number} chosen
 */
function draw_cell_detail(parent, map, chosen) {
  const wide = map.across.values.length;
  const heading = element("h2", {"aria-live": "polite"}), words = element("p", {});
  const lacking = element("p", {});
  parent.append(heading, words);
  const row_of = () => Math.floor(chosen() / wide);
  const cell_of = (/** @type {number} */ column) => map.cells[row_of() * wide + column];
  const bars = bar_chart(parent, {
    id: "cell", title: "Time to the target in this cell", heading: "contestant",
    parts: [{name: "seconds to target", color: color_of(0)}], label: () => "time to the target",
    format: () => duration, missing: "does not reach the target",
    rows: () => map.contestants.map(({label}, at) => ({name: label, color: color_of(at),
      values: [map.cells[chosen()].seconds_to_target[at]]})),
  });
  const axis = axis_of_texts(map.across.values);
  const lines = line_chart(parent, {
    id: "row", title: `Time to the target over ${map.across.option}, in this row`,
    note: "The other option stays as in the chosen cell.",
    log: {x: axis.log, y: true},
    x: () => ({label: map.across.option, format: axis.format, at: axis.values}), y: () => ({label: "time to the target", format: duration}),
    series: () => map.contestants.map(({label}, at) => ({name: label,
      points: axis.values.map((x, column) => ({x, y: cell_of(column).seconds_to_target[at]}))})),
  });
  parent.append(lacking);
  return {redraw: () => {
    heading.textContent = `At ${cell_place(map, chosen())}`;
    words.textContent = `${cell_words(map, chosen()).replace(`${cell_place(map, chosen())}: `, "")}.`;
    lacking.textContent = lacking_words(map, row_of());
    bars.redraw();
    lines.redraw();
  }};
}

/**
 * Who does not reach the target where, in a row; empty where all do everywhere.
 * @param {CrossoverMap} map @param {number} row
 */
export function lacking_words(map, row) {
  const wide = map.across.values.length;
  return map.contestants.flatMap(({label}, at) => {
    const where = map.across.values.filter((_, column) => map.cells[row * wide + column].seconds_to_target[at] === null);
    if (where.length === 0) return [];
    const text = where.length === wide ? "anywhere in this row" : `at ${map.across.option} ${where.map(as_read).join(", ")}`;
    return [`${label} does not reach the target ${text}.`];
  }).join(" ");
}
