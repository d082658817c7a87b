// The page of `reproduce`: ours drawn over what is published.

import { dot_chart } from "./dot_chart.js";
import { element } from "./element.js";
import { significant } from "./format.js";
import { table } from "./table.js";

/**
 * As `reproduce NAME --json` prints them.
 * @typedef {object} PublishedCell
 * @property {string} row
 * @property {string} column
 * @property {string | null} published as it is printed; null: no number is
 * @property {number | null} ours null: never reached
 * @property {boolean | null} agrees
 * @property {string | null} differs why it is known to
 * @property {string} command
 * @property {string} value where in the answer ours is
 */
/**
 * @typedef {object} PublishedTable
 * @property {string} title
 * @property {string} unit
 * @property {string} tolerance
 * @property {string[]} columns
 * @property {string[]} rows
 * @property {PublishedCell[]} cells
 */
/**
 * @typedef {object} PublishedClaim
 * @property {string} published
 * @property {boolean} holds
 * @property {string | null} fails
 * @property {{says: string, figures: string}[]} inequalities
 */
/**
 * @typedef {object} PublishedResult
 * @property {string} name
 * @property {string} title
 * @property {string} source
 * @property {string} kind
 * @property {string} computes
 * @property {string} not_comparable
 * @property {string} verdict
 * @property {string | null} skipped
 * @property {string[]} unlike
 * @property {PublishedTable[]} tables
 * @property {PublishedClaim[]} claims
 */

/**
 * Of a table whose rows or columns are one, without the name that all share.
 * @param {Pick<PublishedTable, "rows" | "columns">} of @param {Pick<PublishedCell, "row" | "column">} cell
 */
export function cell_name({rows, columns}, {row, column}) {
  if (columns.length === 1) return row;
  return rows.length === 1 ? column : `${row}, ${column}`;
}

/**
 * Whether values are so far apart that an axis is logarithmic.
 * @param {(number | null)[]} values
 */
export function spans_decades(values) {
  const known = values.filter((value) => value !== null).map(Number);
  return known.length > 0 && Math.min(...known) > 0 && Math.max(...known) > 20 * Math.min(...known);
}

/** @param {PublishedTable} of @returns {{name: string, values: (number | null)[]}[]} theirs, ours */
export function dots_of(of) {
  return of.cells.map((cell) => ({name: cell_name(of, cell),
    values: [cell.published === null ? null : Number(cell.published), cell.ours]}));
}

/** @param {HTMLElement} section @param {PublishedTable} of @param {string} id */
function table_section(section, of, id) {
  const rows = dots_of(of), has_theirs = of.cells.some(({published}) => published !== null);
  dot_chart(section, {
    id, title: of.title, heading: "of", log: spans_decades(rows.flatMap(({values}) => values)),
    note: has_theirs ? `A ring is what is published, a dot ours. They agree ${of.tolerance === "as printed" ? "" : "within "}${of.tolerance}.` : "",
    parts: [{name: "published", color: "var(--series-1)"}, {name: "ours", color: "var(--series-0)"}],
    rows: () => rows, label: () => of.unit, format: significant,
  });
  section.append(element("details", {}, element("summary", {}, "Numbers and commands"), table([
    {heading: "of", values: of.cells.map((cell) => cell_name(of, cell))},
    {heading: `published${of.unit ? `, ${of.unit}` : ""}`, values: of.cells.map(({published}) => published)},
    {heading: "ours", values: of.cells.map(({ours}) => ours)},
    {heading: "agrees", values: of.cells.map(({agrees}) => (agrees === null ? null : agrees ? "yes" : "no"))},
    {heading: "why not", values: of.cells.map(({differs}) => differs)},
    {heading: "command", values: of.cells.map(({command}) => `${command} --json`)},
    {heading: "figure", values: of.cells.map(({value}) => value)},
  ], of.title)));
}

/** @param {PublishedClaim} claim */
function claim_item({published, holds, fails, inequalities}) {
  const figures = inequalities.map(({says, figures: numbers}) => `${says}: ${numbers}`).join("; ");
  return element("li", {}, element("strong", {}, holds ? "Holds: " : "Does not hold: "),
    `${published} ${fails ?? ""} (${figures})`);
}

/** @param {PublishedResult} result */
function result_section(result) {
  const section = element("section", {id: result.name}, element("h2", {}, result.title),
    element("p", {class: "setting"}, `${result.source} (${result.kind})`),
    element("p", {class: "answer"}, `${result.verdict}.`), element("p", {}, result.computes));
  result.tables.forEach((of, at) => table_section(section, of, `${result.name}-${at}`));
  if (result.claims.length > 0) section.append(element("ul", {class: "claims"}, ...result.claims.map(claim_item)));
  section.append(element("p", {class: "note"}, `Not comparable: ${result.not_comparable}`),
    ...result.unlike.map((what) => element("p", {class: "answer"}, `Not as expected: ${what}.`)));
  return section;
}

/** @param {HTMLElement} parent @param {{results: PublishedResult[]}} content */
export function published_page(parent, {results}) {
  parent.append(element("h1", {}, "Published, and here"), ...results.map(result_section));
}
