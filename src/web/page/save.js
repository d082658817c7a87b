// What a reader takes home: a figure as SVG that looks the same elsewhere, its data as CSV.

import { csv_field } from "./format.js";

/** @typedef {{heading: string, words?: string, values: (number | string | boolean | null)[]}} Column words: what the heading means */

/** @param {Column[]} columns */
export function csv_text(columns) {
  const lines = [columns.map((column) => csv_field(column.heading)).join(",")];
  const rows = Math.max(0, ...columns.map((column) => column.values.length));
  for (let row = 0; row < rows; ++row) {
    lines.push(columns.map((column) => csv_field(column.values[row])).join(","));
  }
  return `${lines.join("\n")}\n`;
}

const kept_styles = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity", "stroke-opacity", "paint-order",
  "font-family", "font-size", "font-weight", "text-anchor", "display"];

/**
 * What the style sheet says of each element, written into it.
 * @param {SVGSVGElement} svg
 */
export function svg_text(svg) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  const originals = [svg, ...svg.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((original, index) => {
    const style = getComputedStyle(original);
    const text = kept_styles.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";");
    copies[index].setAttribute("style", text);
    // Colours of the style sheet, which the styles above name.
    for (const name of ["fill", "stroke"]) copies[index].removeAttribute(name);
  });
  copy.querySelectorAll(".unprinted").forEach((part) => part.remove());
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.style.background = getComputedStyle(document.body).backgroundColor;
  return new XMLSerializer().serializeToString(copy);
}

/** @param {string} name @param {string} type @param {string} text */
export function offer_file(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
