// All curves read at once: an upright line under the pointer, and each curve's value on it.

import { element } from "./element.js";

/** @typedef {{x: number, y: number}} Spot */
/** @typedef {{name: string, color: string, spots: Spot[], steps?: "before" | "after"}} Read a curve as it is drawn, from left to right */

/**
 * The height of a drawn line there; null where it has not begun or is over.
 * @param {Read} curve @param {number} at
 */
export function height_at({spots, steps}, at) {
  if (spots.length === 0 || at < spots[0].x || at > spots[spots.length - 1].x) return null;
  let low = 0, high = spots.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (spots[middle].x <= at) low = middle;
    else high = middle;
  }
  const a = spots[low], b = spots[high];
  if (at >= b.x) return b.y;
  if (steps) return steps === "after" ? a.y : b.y;
  return a.y + ((b.y - a.y) * (at - a.x)) / (b.x - a.x || 1);
}

/**
 * Lines that go back are no functions of x, and are not read.
 * @param {Spot[]} spots
 */
export function goes_right(spots) {
  return spots.every((spot, at) => at === 0 || spot.x >= spots[at - 1].x);
}

/**
 * @param {SVGSVGElement} svg @param {HTMLElement} root of the figure
 * @param {Read[]} curves @param {{left: number, right: number, top: number, bottom: number}} box
 * @param {(x: number, rows: {name: string, color: string, y: number}[]) => HTMLElement[]} words heights in pixels
 */
export function add_crosshair(svg, root, curves, box, words) {
  root.querySelector(".tip")?.remove();
  const tip = element("output", {class: "tip unprinted", hidden: true, "aria-live": "off"});
  root.append(tip);
  const marks = d3.select(svg).append("g").attr("class", "crosshair unprinted").style("display", "none");
  marks.append("line").attr("y1", box.top).attr("y2", box.bottom);
  const dots = curves.map(({color}) => marks.append("circle").attr("r", 4).attr("fill", color));
  const readable = curves.map(({spots}) => goes_right(spots));
  const hide = () => {
    tip.hidden = true;
    marks.style("display", "none");
  };
  svg.onpointermove = (event) => {
    const [at] = d3.clientPoint(svg, event);
    if (at < box.left || at > box.right) return hide();
    const rows = curves.map((curve, index) => ({index, name: curve.name, color: curve.color, y: readable[index] ? height_at(curve, at) : null}));
    const known = /** @type {{index: number, name: string, color: string, y: number}[]} */ (
      rows.filter(({y}) => y !== null && y >= box.top - 5 && y <= box.bottom + 5));
    if (known.length === 0) return hide();
    dots.forEach((dot, index) => {
      const row = known.find((one) => one.index === index);
      dot.style("display", row ? null : "none").attr("cx", at).attr("cy", row?.y ?? 0);
    });
    marks.style("display", null).select("line").attr("x1", at).attr("x2", at);
    tip.replaceChildren(...words(at, known.sort((a, b) => a.y - b.y)));
    tip.hidden = false;
    const right = at > (box.left + box.right) / 2;
    tip.style.left = right ? "auto" : `${at + 14}px`;
    tip.style.right = right ? `${root.clientWidth - at + 14}px` : "auto";
    tip.style.top = `${svg.getBoundingClientRect().top - root.getBoundingClientRect().top + box.top + 8}px`;
  };
  svg.onpointerleave = hide;
}
