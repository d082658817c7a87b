// The frame that all figures share: a title, its controls, the drawing, a legend, and the data
// behind it as a table; the drawing can be saved as SVG and the data as CSV.
//
//   const frame = figure(parent, {id: "loss", title: "…", draw: (svg, width) => …, columns: () => […]});
//   frame.redraw();
//
// A figure is drawn anew as a whole when its width or a control changes: so what is seen is a
// function of the data and the controls, and of nothing that happened before.

import { element } from "./element.js";
import { csv_text, offer_file, svg_text } from "./save.js";
import { table } from "./table.js";

/** @typedef {import("./save.js").Column} Column */

/**
 * @typedef {object} FigureContent
 * @property {string} id also the name of saved files
 * @property {string} title
 * @property {string} [note] what to look for, in one sentence
 * @property {HTMLElement[]} [controls]
 * @property {(svg: SVGSVGElement, width: number, frame: Frame) => void} draw into an empty drawing
 * @property {() => Column[]} columns the data of what is drawn
 */

/**
 * @typedef {object} Frame
 * @property {HTMLElement} root
 * @property {HTMLElement} legend
 * @property {() => void} redraw
 * @property {(text: string) => void} say what screen readers hear in place of the drawing
 */

/** @param {HTMLElement} parent @param {FigureContent} content @returns {Frame} */
export function figure(parent, content) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", content.title);
  const legend = element("div", {class: "legend"});
  const data = element("details", {class: "data"}, element("summary", {}, "Data"));
  const redraw_data = () => {
    data.querySelector(".scrolls")?.remove();
    if (/** @type {HTMLDetailsElement} */ (data).open) data.append(table(content.columns(), content.title));
  };
  data.addEventListener("toggle", redraw_data);
  const save = (/** @type {string} */ label, /** @type {() => void} */ action) =>
    element("button", {type: "button", onclick: action}, label);
  const root = element("figure", {id: content.id},
    element("figcaption", {}, element("h3", {}, content.title), content.note ?? ""),
    element("div", {class: "controls unprinted"}, ...(content.controls ?? []),
      element("span", {class: "save"},
        save("SVG", () => offer_file(`${content.id}.svg`, "image/svg+xml", svg_text(svg))),
        save("CSV", () => offer_file(`${content.id}.csv`, "text/csv", csv_text(content.columns()))))),
    svg, legend, data);

  let width = 0;
  const frame = {
    root, legend,
    say: (/** @type {string} */ text) => svg.setAttribute("aria-label", text),
    redraw: () => {
      if (width === 0) return;
      svg.replaceChildren();
      content.draw(svg, width, frame);
      redraw_data();
    },
  };
  parent.append(root);
  new ResizeObserver(() => {
    const now = Math.floor(root.clientWidth);
    if (now === width) return;
    width = now;
    frame.redraw();
  }).observe(root);
  return frame;
}

/**
 * Sets the size of a drawing in its own units, one a pixel.
 * @param {SVGSVGElement} svg
 */
export function set_size(svg, /** @type {number} */ width, /** @type {number} */ height) {
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", String(width));
  svg.setAttribute("height", String(height));
}

/**
 * A legend of buttons, each of which hides and shows what it names.
 * @param {HTMLElement} legend
 * @param {{name: string, color: string, dash?: string, words?: string}[]} entries words: under the pointer
 * @param {Set<string>} hidden
 * @param {() => void} changed
 */
export function draw_legend(legend, entries, hidden, changed) {
  legend.replaceChildren(...entries.map(({name, color, dash, words}) => {
    const sample = element("span", {class: "sample"});
    sample.style.borderTop = `3px ${dash ? "dashed" : "solid"} ${color}`;
    return element("button", {
      type: "button", title: words || false, "aria-pressed": String(!hidden.has(name)),
      onclick: () => {
        if (!hidden.delete(name)) hidden.add(name);
        changed();
      },
    }, sample, name);
  }));
}
