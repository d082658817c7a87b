// Curves: one a series, with a mark at each point. Hover for values, drag to zoom, hide and show in
// the legend, switch either axis to a logarithmic scale.

import { draw_axes, scale_over, upright_ticks } from "./axes.js";
import { element, toggle } from "./element.js";
import { draw_legend, figure, set_size } from "./figure.js";
import { significant } from "./format.js";
import { color_of, dash_of } from "./palette.js";

/** @typedef {import("./axes.js").AxisContent} AxisContent */
/** @typedef {{x: number | null, y: number | null}} Point a point that lacks a number is not drawn */

/**
 * @typedef {object} Series
 * @property {string} name
 * @property {Point[]} points in the order of the line
 * @property {number} [style] of the palette; the series' place where it is left out
 * @property {{x: number, low: number, high: number}[]} [band] over seeds
 * @property {boolean} [thin] one of several seeds: no entry in the legend
 * @property {"before" | "after"} [steps] from one point to the next in a step, at its x or at the next one's; else straight
 * @property {boolean} [plain] a curve, whose points are not to be seen
 * @property {boolean} [unmarked] a line alone, which is not among the data
 */

/**
 * @typedef {object} LineChart
 * @property {string} id
 * @property {string} title
 * @property {string} [note]
 * @property {() => Series[]} series
 * @property {() => AxisContent} x
 * @property {() => AxisContent} y
 * @property {HTMLElement[]} [controls]
 * @property {{x: boolean, y: boolean}} [log] at first
 * @property {() => {y: number, label: string} | null} [level] a horizontal line: the target
 * @property {{x: number[], y: number[]}} [include] values that the axes reach
 * @property {(name: string) => void} [clicked] a point of that series
 */

/** @typedef {{x: [number, number], y: [number, number]}} Area of values, from low to high */

const margin = {left: 64, right: 12, top: 24, bottom: 40};

/** @param {Series} series @param {boolean} log_x @param {boolean} log_y */
function drawn_points(series, log_x, log_y) {
  return series.points.filter(({x, y}) => x !== null && y !== null && Number.isFinite(x) && Number.isFinite(y) &&
    !(log_x && x <= 0) && !(log_y && y <= 0));
}

/**
 * What the reader has chosen, and the frame that shows it.
 * @typedef {object} LineView
 * @property {LineChart} chart
 * @property {Set<string>} hidden
 * @property {{x: boolean, y: boolean}} log
 * @property {Area | null} zoom
 * @property {(area: Area | null) => void} zoom_to
 * @property {import("./figure.js").Frame} [frame]
 */

/** @param {HTMLElement} parent @param {LineChart} chart */
export function line_chart(parent, chart) {
  const whole = element("button", {type: "button", class: "whole", disabled: true, onclick: () => view.zoom_to(null)}, "Whole");
  const log = {x: chart.log?.x ?? false, y: chart.log?.y ?? false};
  /** @type {LineView} */
  const view = {
    chart, hidden: new Set(), log, zoom: null,
    zoom_to: (area) => {
      view.zoom = area;
      /** @type {HTMLButtonElement} */ (whole).disabled = area === null;
      frame.redraw();
    },
  };
  const frame = figure(parent, {
    id: chart.id, title: chart.title, note: chart.note,
    controls: [...(chart.controls ?? []),
      toggle("log x", log.x, (on) => { log.x = on; view.zoom_to(null); }),
      toggle("log y", log.y, (on) => { log.y = on; view.zoom_to(null); }), whole],
    draw: (svg, width, own) => draw_lines(svg, width, {...view, frame: own}),
    columns: () => columns_of(chart),
  });
  return {...frame, show_whole: () => view.zoom_to(null)};
}

/** @param {SVGSVGElement} svg @param {number} width @param {LineView & {frame: import("./figure.js").Frame}} view */
function draw_lines(svg, width, view) {
  const {chart, frame, hidden, log, zoom} = view;
  const height = Math.max(220, Math.min(400, Math.round(width * 0.5)));
  set_size(svg, width, height);
  const all = chart.series().map((series, index) => ({style: index, ...series}));
  const entries = all.filter((series) => !series.thin);
  draw_legend(frame.legend, entries.map(({name, style}) =>
    ({name, color: color_of(style), dash: dash_of(style)})), hidden, frame.redraw);
  const shown = all.filter(({name}) => !hidden.has(name));
  const points = shown.flatMap((series) => drawn_points(series, log.x, log.y));
  const level = chart.level?.() ?? null;
  const ys = points.map(({y}) => Number(y)).concat(level && points.length > 0 ? [level.y] : [])
    .concat(chart.include?.y ?? []);
  const y = scale_over(ys, [height - margin.bottom, margin.top], log.y);
  if (zoom) y.domain(zoom.y);
  const {ticks, wide} = upright_ticks(y, height - margin.bottom - margin.top, {...chart.y(), log: log.y});
  const box = {left: Math.max(margin.left, wide), right: width - margin.right, top: margin.top, bottom: height - margin.bottom};
  const x = scale_over(points.map((point) => Number(point.x)).concat(chart.include?.x ?? []), [box.left, box.right], log.x);
  if (zoom) x.domain(zoom.x);
  draw_axes(svg, box, x, y, {...chart.x(), log: log.x}, {label: chart.y().label, ticks});
  const clip = `${chart.id}-clip`;
  d3.select(svg).append("clipPath").attr("id", clip).append("rect")
    .attr("x", box.left - 5).attr("y", box.top - 5)
    .attr("width", box.right - box.left + 10).attr("height", box.bottom - box.top + 10);
  const plot = d3.select(svg).append("g").attr("clip-path", `url(#${clip})`);
  if (level) draw_level(plot, box, y(level.y), level.label);
  for (const series of shown) draw_series(plot, series, x, y, log);
  add_brush(svg, box, x, y, view.zoom_to);
  add_pointer(svg, view, shown, x, y);
  frame.say(`${chart.title}: ${entries.map(({name}) => name).join(", ")}; the table has the numbers.`);
}

/**
 * @param {SVGSVGElement} svg @param {import("./axes.js").Box} box @param {any} x @param {any} y
 * @param {(area: Area | null) => void} zoom_to
 */
function add_brush(svg, box, x, y, zoom_to) {
  const brush = d3.brush().extent([[box.left, box.top], [box.right, box.bottom]]).on("end", () => {
    const selection = d3.event.selection;
    if (!selection) return;
    const [[x0, y0], [x1, y1]] = selection;
    zoom_to({x: [x.invert(x0), x.invert(x1)], y: [y.invert(y1), y.invert(y0)]});
  });
  // Below the marks, so that they still feel the pointer.
  d3.select(svg).insert("g", "g[clip-path]").attr("class", "brush unprinted").call(brush)
    .on("dblclick", () => zoom_to(null));
}

/**
 * @param {SVGSVGElement} svg @param {LineView & {frame: import("./figure.js").Frame}} view
 * @param {Series[]} shown @param {any} x @param {any} y
 */
function add_pointer(svg, {chart, frame: {root}, log}, shown, x, y) {
  root.querySelector(".tip")?.remove();
  const tip = element("output", {class: "tip unprinted", hidden: true});
  root.append(tip);
  const format_x = chart.x().format ?? significant, format_y = chart.y().format ?? significant;
  svg.onpointermove = (event) => {
    const [at_x, at_y] = d3.clientPoint(svg, event);
    const near = nearest(shown, log, x, y, at_x, at_y);
    tip.hidden = near === null;
    if (!near) return;
    tip.textContent = `${near.name}: ${format_y(near.y)} at ${format_x(near.x)}`;
    tip.style.left = `${Math.min(x(near.x) + 10, svg.clientWidth - 180)}px`;
    tip.style.top = `${svg.getBoundingClientRect().top - root.getBoundingClientRect().top + y(near.y) - 34}px`;
  };
  svg.onpointerleave = () => { tip.hidden = true; };
  svg.onclick = (event) => {
    const [at_x, at_y] = d3.clientPoint(svg, event);
    const near = nearest(shown, log, x, y, at_x, at_y);
    if (near) chart.clicked?.(near.name);
  };
}

/**
 * The point within 30 pixels that is closest, if there is one.
 * @param {Series[]} shown @param {{x: boolean, y: boolean}} log @param {any} x @param {any} y
 * @param {number} at_x @param {number} at_y
 */
function nearest(shown, log, x, y, at_x, at_y) {
  /** @type {{name: string, x: number, y: number} | null} */
  let best = null;
  let least = 30;
  for (const series of shown) {
    for (const point of drawn_points(series, log.x, log.y)) {
      const distance = Math.hypot(x(point.x) - at_x, y(point.y) - at_y);
      if (distance >= least) continue;
      least = distance;
      best = {name: series.name, x: Number(point.x), y: Number(point.y)};
    }
  }
  return best;
}

/** @param {any} plot @param {import("./axes.js").Box} box @param {number} at @param {string} label */
function draw_level(plot, box, at, label) {
  plot.append("line").attr("class", "level").attr("x1", box.left).attr("x2", box.right).attr("y1", at).attr("y2", at);
  plot.append("text").attr("class", "level-label").attr("x", box.right - 4).attr("y", at - 4)
    .attr("text-anchor", "end").text(label);
}

/** @param {any} plot @param {Series & {style: number}} series @param {any} x @param {any} y @param {{x: boolean, y: boolean}} log */
function draw_series(plot, series, x, y, log) {
  const points = drawn_points(series, log.x, log.y);
  const color = color_of(series.style);
  const group = plot.append("g").attr("class", "series").attr("data-series", series.name);
  if (series.band) {
    group.append("path").attr("class", "band").attr("fill", color).attr("d", d3.area()
      .x((/** @type {any} */ p) => x(p.x)).y0((/** @type {any} */ p) => y(p.low)).y1((/** @type {any} */ p) => y(p.high))(
        series.band.filter(({low, x: at}) => !(log.y && low <= 0) && !(log.x && at <= 0))));
  }
  group.append("path").attr("class", series.thin ? "line thin" : "line").attr("stroke", color)
    .attr("stroke-dasharray", dash_of(series.style))
    .attr("d", d3.line().x((/** @type {Point} */ p) => x(p.x)).y((/** @type {Point} */ p) => y(p.y))
      .curve(series.steps === "before" ? d3.curveStepBefore : series.steps === "after" ? d3.curveStepAfter : d3.curveLinear)(points));
  // More marks than pixels slow the page down and hide the line; the table has all of them.
  if (series.unmarked || points.length > 500) return;
  group.selectAll("circle").data(points).enter().append("circle").attr("class", "mark")
    .attr("r", series.plain ? 1 : series.thin ? 1.5 : 3).attr("fill", color)
    .attr("cx", (/** @type {Point} */ p) => x(p.x)).attr("cy", (/** @type {Point} */ p) => y(p.y));
}

/** @param {LineChart} chart @returns {import("./save.js").Column[]} */
function columns_of(chart) {
  const rows = chart.series().filter((series) => !series.unmarked)
    .flatMap(({name, points}) => points.map(({x, y}) => ({name, x, y})));
  return [{heading: "series", values: rows.map(({name}) => name)},
    {heading: chart.x().label, values: rows.map(({x}) => x)},
    {heading: chart.y().label, values: rows.map(({y}) => y)}];
}
