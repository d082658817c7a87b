// Tables: the one behind each figure, and the sortable one of all figures of all runs.

import { element } from "./element.js";
import { significant } from "./format.js";

/** @typedef {import("./save.js").Column} Column */

/** @param {number | string | boolean | null | undefined} value */
export function cell_text(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  // What is counted, as it is: bytes to the last one.
  return Number.isSafeInteger(value) ? String(value) : significant(value, 6);
}

/**
 * Numbers by size, words by alphabet, what is missing last.
 * @param {any} a @param {any} b
 */
export function compare_cells(a, b) {
  const lacks_a = a === null || a === undefined, lacks_b = b === null || b === undefined;
  if (lacks_a || lacks_b) return Number(lacks_a) - Number(lacks_b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b));
}

/** @param {Column[]} columns @param {number[]} order of rows */
function body_of(columns, order) {
  return element("tbody", {}, ...order.map((row) => element("tr", {}, ...columns.map((column) =>
    element("td", {class: typeof column.values[row] === "number" ? "number" : false},
      cell_text(column.values[row]))))));
}

/**
 * @param {Column[]} columns of one length
 * @param {string} caption
 */
export function table(columns, caption) {
  const order = (columns[0]?.values ?? []).map((_, row) => row);
  let sorted_by = -1, direction = 1;
  let body = body_of(columns, order);
  /** @param {number} index */
  const sort = (index) => {
    direction = index === sorted_by ? -direction : 1;
    sorted_by = index;
    const values = columns[index].values;
    const is_missing = (/** @type {number} */ row) => values[row] === null || values[row] === undefined;
    // What is missing stays last in both directions.
    order.sort((a, b) => (is_missing(a) || is_missing(b) ? 1 : direction) * compare_cells(values[a], values[b]));
    headings.forEach((heading, at) => heading.setAttribute("aria-sort",
      at !== index ? "none" : direction > 0 ? "ascending" : "descending"));
    const next = body_of(columns, order);
    body.replaceWith(next);
    body = next;
  };
  const headings = columns.map((column, index) => element("th", {scope: "col", "aria-sort": "none"},
    element("button", {type: "button", title: column.words, onclick: () => sort(index)}, column.heading)));
  return element("div", {class: "scrolls", tabindex: "0", role: "region", "aria-label": caption},
    element("table", {}, element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...headings)), body));
}
