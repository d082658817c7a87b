// Many curves: a small chart for each part of them, in which its own are coloured and all others grey,
// on the same axes. The pointer names the curve that is nearest.

import { draw_axes, scale_over, upright_ticks } from "./axes.js";
import { fitting } from "./bar_chart.js";
import { element, toggle } from "./element.js";
import { figure, set_size } from "./figure.js";
import { significant } from "./format.js";
import { height_at } from "./crosshair.js";
import { cut_of, cut_words, draw_cuts } from "./outliers.js";
import { color_of } from "./palette.js";

/** @typedef {{name: string, points: {x: number, y: number}[]}} Curve */
/** @typedef {{name: string, words: string, first: string, curves: Curve[]}} Part first: what is said of the first curve */

/**
 * @typedef {object} SmallMultiples
 * @property {string} id
 * @property {string} title
 * @property {string} [note]
 * @property {HTMLElement[]} controls
 * @property {() => Part[]} parts
 * @property {() => import("./axes.js").AxisContent} x
 * @property {() => import("./axes.js").AxisContent} y
 * @property {() => {y: number, label: string} | null} level
 * @property {() => boolean} lowers whether training lowers what is shown: what climbs is then cut
 * @property {{x: boolean, y: boolean}} log
 * @property {(name: string) => void} chosen a part
 */

const panel_height = 190, least_wide = 270, panel_margin = {left: 8, right: 12, top: 42, bottom: 40};

/** So many of the longest curves may be cut at the right, where they are more than twice as long as all others. */
const longest_cut = 0.1;

/**
 * Where the curves' axis ends: with the last one, or before the few that go on much longer.
 * @param {number[]} ends
 */
export function end_of(ends) {
  const ordered = [...ends].sort((a, b) => a - b), last = ordered[ordered.length - 1];
  const most = ordered[Math.ceil(ordered.length * (1 - longest_cut)) - 1];
  return last > 2 * most ? most : last;
}

/** @param {Curve[]} curves @param {{x: boolean, y: boolean}} log @returns {Curve[]} */
function drawable(curves, log) {
  return curves.map(({name, points}) => ({name, points: points.filter(({x, y}) => x !== null && y !== null && Number.isFinite(x) && Number.isFinite(y)
    && !(log.x && x <= 0) && !(log.y && y <= 0))})).filter(({points}) => points.length > 0);
}

/** @param {HTMLElement} parent @param {SmallMultiples} chart */
export function small_multiples(parent, chart) {
  let whole = false;
  const switches = (/** @type {"x" | "y"} */ axis) => toggle(`log ${axis}`, chart.log[axis], (on) => { chart.log[axis] = on; frame.redraw(); });
  const all = toggle("all values", false, (on) => { whole = on; frame.redraw(); });
  const frame = figure(parent, {
    id: chart.id, title: chart.title, note: chart.note,
    controls: [...chart.controls, switches("x"), switches("y"), all],
    draw: (svg, width, own) => draw_panels(svg, width, own, chart, whole),
    columns: () => {
      const rows = chart.parts().flatMap(({name: part, curves}) => curves.flatMap(({name, points}) => points.map(({x, y}) => ({part, name, x, y}))));
      return [{heading: "family", values: rows.map(({part}) => part)}, {heading: "series", values: rows.map(({name}) => name)},
        {heading: chart.x().label, values: rows.map(({x}) => x)}, {heading: chart.y().label, values: rows.map(({y}) => y)}];
    },
  });
  return frame;
}

/**
 * @param {SVGSVGElement} svg @param {number} width @param {import("./figure.js").Frame} frame
 * @param {SmallMultiples} chart @param {boolean} whole nothing is cut
 */
function draw_panels(svg, width, frame, chart, whole) {
  const {log} = chart, level = chart.level();
  const parts = chart.parts().map((part) => ({...part, curves: drawable(part.curves, log)}));
  const all = parts.flatMap(({curves}) => curves);
  const across = Math.max(1, Math.min(parts.length, Math.floor(width / least_wide)));
  const wide = width / across, down = Math.ceil(parts.length / across);
  set_size(svg, width, down * (panel_height + panel_margin.top + panel_margin.bottom));
  for (const tip of frame.root.querySelectorAll(".tip")) tip.remove();
  if (all.length === 0) return;
  const cut = whole || log.y || !chart.lowers() ? null : cut_of(all);
  const end = whole || log.x ? Infinity : end_of(all.map(({points}) => points[points.length - 1].x));
  const seen = all.flatMap(({points}) => points.filter(({x, y}) => x <= end && y <= (cut?.high ?? Infinity)));
  const y = scale_over([...seen.map((point) => point.y), ...(level ? [level.y] : []), ...(cut ? [cut.high] : [])], [panel_height, 0], log.y);
  const {ticks, wide: y_words} = upright_ticks(y, panel_height, {...chart.y(), log: log.y});
  const left = Math.max(panel_margin.left, y_words);
  const x = scale_over([...seen.map((point) => point.x), ...(Number.isFinite(end) ? [end] : [])], [0, wide - left - panel_margin.right], log.x);
  const path = d3.line().x((/** @type {any} */ p) => x(p.x)).y((/** @type {any} */ p) => y(p.y));
  const lines = new Map(all.map((curve) => [curve, path(curve.points)]));
  const long = all.filter(({points}) => points[points.length - 1].x > end).map(({name}) => name);
  parts.forEach((part, at) => {
    const group = d3.select(svg).append("g").attr("class", "panel").attr("data-part", part.name)
      .attr("transform", `translate(${(at % across) * wide + left},${Math.floor(at / across) * (panel_height + panel_margin.top + panel_margin.bottom) + panel_margin.top})`);
    const box = {left: 0, right: wide - left - panel_margin.right, top: 0, bottom: panel_height};
    draw_axes(group.node(), box, x, y, {...chart.x(), log: log.x}, {label: "", ticks});
    draw_panel(group, box, part, {color: color_of(at), id: `${chart.id}-${at}`, lines, others: all.filter((curve) => !part.curves.includes(curve)), level, x, y, chart, frame});
    if (cut) draw_cuts(group, part.curves.map((curve) => ({...curve, color: color_of(at)})), cut, x, 0);
  });
  d3.select(svg).append("text").attr("class", "axis-label").attr("x", 4).attr("y", 12).text(chart.y().label);
  frame.legend.replaceChildren(element("span", {class: "said"}, "Thick and named: the first of each. Grey: the others. A heading shows those below it alone."),
    ...cut_words(cut), ...(long.length > 0 ? [element("span", {class: "said"}, `The axis ends where nine of ten have ended; ${long.length === 1 ? `${long[0]} goes` : `${long.length} go`} on.`)] : []));
  frame.say(`${chart.title}: ${parts.map(({name, curves}) => `${curves.length} ${name}`).join(", ")}. The table has the numbers.`);
}

/**
 * @param {any} group @param {import("./axes.js").Box} box @param {Part} part
 * @param {{color: string, id: string, lines: Map<Curve, string>, others: Curve[], level: {y: number, label: string} | null, x: any, y: any, chart: SmallMultiples, frame: import("./figure.js").Frame}} with_what
 */
function draw_panel(group, box, part, {color, id, lines, others, level, x, y, chart, frame}) {
  const count = part.curves.length;
  const heading = group.append("text").attr("class", "panel-name pointed").attr("x", 0).attr("y", -12).attr("tabindex", 0).attr("role", "button")
    .style("fill", color).text(`${part.name}${count > 1 ? ` (${count})` : ""}`).on("click", () => chart.chosen(part.name));
  heading.node().onkeydown = (/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); chart.chosen(part.name); } };
  if (part.words) heading.append("title").text(part.words);
  group.append("clipPath").attr("id", id).append("rect").attr("x", -5).attr("y", -5).attr("width", box.right + 10).attr("height", box.bottom + 10);
  const plot = group.append("g").attr("class", "plot").attr("clip-path", `url(#${id})`);
  plot.append("path").attr("class", "line others").attr("d", others.map((curve) => lines.get(curve)).join(""));
  if (level) plot.append("line").attr("class", "level").attr("x1", 0).attr("x2", box.right).attr("y1", y(level.y)).attr("y2", y(level.y));
  // The first one is drawn last, above all others.
  for (const curve of [...part.curves].reverse()) {
    const one = plot.append("g").attr("class", "series").attr("data-series", curve.name);
    const is_first = curve === part.curves[0];
    one.append("path").attr("class", is_first ? "line" : "line thin").attr("stroke", color).attr("d", lines.get(curve));
    one.append("circle").datum(curve.points[curve.points.length - 1]).attr("class", "mark").attr("r", is_first ? 3 : 1.5).attr("fill", color)
      .attr("cx", (/** @type {any} */ p) => x(p.x)).attr("cy", (/** @type {any} */ p) => y(p.y));
  }
  if (count > 0) {
    group.append("text").attr("class", "end-label").attr("x", box.right).attr("y", 12).attr("text-anchor", "end").style("fill", color)
      .text(fitting(part.first, box.right)).append("title").text(part.first);
  }
  add_naming(group, box, part, color, x, y, chart, frame.root);
}

/**
 * The curve nearest to the pointer is named, with its value there.
 * @param {any} group @param {import("./axes.js").Box} box @param {Part} part @param {string} color @param {any} x @param {any} y
 * @param {SmallMultiples} chart @param {HTMLElement} root of the figure
 */
function add_naming(group, box, part, color, x, y, chart, root) {
  const read = part.curves.map(({name, points}) => ({name, color, spots: points.map((point) => ({x: x(point.x), y: y(point.y)}))}));
  const area = group.append("rect").attr("class", "ground-of-pointer").attr("width", box.right).attr("height", box.bottom).attr("fill", "none").style("pointer-events", "all");
  const near = group.append("path").attr("class", "line near unprinted").attr("stroke", color).style("pointer-events", "none");
  const tip = element("output", {class: "tip unprinted", hidden: true, "aria-live": "off"});
  root.append(tip);
  const line = d3.line().x((/** @type {any} */ p) => p.x).y((/** @type {any} */ p) => p.y);
  area.node().onpointermove = (/** @type {PointerEvent} */ event) => {
    const [at, height] = d3.clientPoint(group.node(), event);
    const known = read.map((curve) => ({...curve, y: height_at(curve, at)})).filter((curve) => curve.y !== null && curve.y > -5);
    if (known.length === 0) return area.node().onpointerleave();
    const away = (/** @type {typeof known[0]} */ one) => Math.abs(Number(one.y) - height);
    const found = known.reduce((best, one) => (away(one) < away(best) ? one : best));
    near.attr("d", line(found.spots)).attr("clip-path", group.select(".plot").attr("clip-path"));
    tip.textContent = `${found.name}: ${(chart.y().format ?? significant)(y.invert(found.y), 4)} at ${(chart.x().format ?? significant)(x.invert(at), 3)}`;
    tip.hidden = false;
    const frame = root.getBoundingClientRect(), where = event.clientX - frame.left;
    tip.style.left = where > frame.width / 2 ? "auto" : `${where + 14}px`;
    tip.style.right = where > frame.width / 2 ? `${frame.width - where + 14}px` : "auto";
    tip.style.top = `${event.clientY - frame.top - 34}px`;
  };
  area.node().onpointerleave = () => { tip.hidden = true; near.attr("d", null); };
}
