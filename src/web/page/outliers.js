// A curve that climbs far above where all began would flatten all others: the axis ends below it, and
// a mark at the edge says where it left.

import { element } from "./element.js";
import { listed, significant } from "./format.js";

/** @typedef {{name: string, color: string, points: {x: number, y: number}[]}} Risen a curve's points that can be drawn, in values */
/** @typedef {{high: number, names: Map<string, number>}} Cut where the axis ends, and how high each goes that is cut */

/** What climbs by so many times the way down that there was is cut. */
const far = 3;

/**
 * Null where nothing is cut: no curve climbs so far, or more than half of them do, so that climbing is
 * what there is to see.
 * @param {{name: string, points: {y: number}[]}[]} curves of a quantity that training lowers
 * @returns {Cut | null}
 */
export function cut_of(curves) {
  const known = curves.filter(({points}) => points.length > 0);
  if (known.length < 2) return null;
  const start = Math.max(...known.map(({points}) => points[0].y));
  const low = Math.min(...known.map(({points}) => Math.min(...points.map(({y}) => y))));
  const limit = start + far * (start - low);
  const top = (/** @type {{points: {y: number}[]}} */ {points}) => Math.max(...points.map(({y}) => y));
  const out = known.filter((curve) => top(curve) > limit);
  if (start === low || out.length === 0 || out.length > known.length / 2) return null;
  const inside = known.filter((curve) => top(curve) <= limit).map(top);
  const names = new Map();
  for (const curve of out) names.set(curve.name, Math.max(top(curve), names.get(curve.name) ?? -Infinity));
  return {high: Math.max(...inside, start + 0.1 * (start - low)), names};
}

/**
 * Where a line first crosses that height.
 * @param {{x: number, y: number}[]} points @param {number} high
 */
export function leaving(points, high) {
  const at = points.findIndex(({y}) => y > high);
  if (at < 1) return at === 0 ? points[0].x : null;
  const a = points[at - 1], b = points[at];
  return a.x + ((b.x - a.x) * (high - a.y)) / (b.y - a.y);
}

/**
 * @param {any} root @param {Risen[]} curves @param {Cut} cut @param {any} x @param {number} top in pixels
 */
export function draw_cuts(root, curves, cut, x, top) {
  for (const {name, color, points} of curves.filter((curve) => cut.names.has(curve.name))) {
    const at = leaving(points, cut.high);
    if (at === null) continue;
    root.append("path").attr("class", "cut").attr("data-series", name).attr("fill", color)
      .attr("transform", `translate(${x(at)},${top})`).attr("d", "M0,-9L5,0H-5Z")
      .append("title").text(`${name} leaves the picture here, up to ${significant(cut.names.get(name) ?? 0)}`);
  }
}

/** @param {Cut | null} cut @param {string} [mark] */
export function cut_words(cut, mark = "▲") {
  if (cut === null) return [];
  const names = [...cut.names].map(([name, top]) => `${name} (up to ${significant(top)})`);
  const few = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
  return [element("span", {class: "said"}, `${mark} leaves the picture: ${listed(few)}.`)];
}
