// Curves: one a series, with a mark at each point and its name at its end. The pointer reads all at
// once; drag to zoom, hide and show in the legend, switch either axis to a logarithmic scale.

import { draw_axes, letter_width, scale_over, upright_ticks } from "./axes.js";
import { add_crosshair } from "./crosshair.js";
import { element, toggle } from "./element.js";
import { coinciding, place_labels, room_for_labels } from "./end_labels.js";
import { draw_legend, figure, set_size } from "./figure.js";
import { listed, significant } from "./format.js";
import { cut_of, cut_words, draw_cuts } from "./outliers.js";
import { color_of, dash_of } from "./palette.js";
import { fits, held_span } from "./stage.js";
import { scheme_words } from "./words.js";

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
 * @property {boolean} [holds] axes hold still while the series change, and grow in steps
 * @property {() => {words: string, series: Series[]} | null} [ghosts] what was drawn before, faint below the curves
 * @property {() => boolean} [covered] the axes alone: somebody still guesses
 * @property {(width: number) => number} [height]
 * @property {() => boolean} [lowers] whether training lowers what is shown: a curve that climbs far is then cut
 * @property {() => void} [switched] a switch of the reader's: log axes, hidden curves
 */

/** @typedef {{x: [number, number], y: [number, number]}} Area of values, from low to high */

const margin = {left: 64, right: 12, top: 24, bottom: 40};

/** @param {Series} series @param {boolean} log_x @param {boolean} log_y */
function drawn_points(series, log_x, log_y) {
  return series.points.filter(({x, y}) => x !== null && y !== null && Number.isFinite(x) && Number.isFinite(y) &&
    !(log_x && x <= 0) && !(log_y && y <= 0));
}

/**
 * What is shown, where what climbs is cut.
 * @param {LineView} view @returns {import("./outliers.js").Risen[]}
 */
function curves_of({chart, hidden, log}) {
  if (!chart.lowers?.()) return [];
  return chart.series().map((series, index) => ({style: index, ...series})).filter(({name}) => !hidden.has(name)).map((series) =>
    ({name: series.name, color: color_of(series.style), points: /** @type {{x: number, y: number}[]} */ (drawn_points(series, log.x, log.y))}));
}

/**
 * What the reader has chosen, and the frame that shows it.
 * @typedef {object} LineView
 * @property {LineChart} chart
 * @property {Set<string>} hidden
 * @property {{x: boolean, y: boolean}} log
 * @property {Area | null} zoom
 * @property {boolean} whole nothing is cut
 * @property {{x: import("./stage.js").Span | null, y: import("./stage.js").Span | null}} held
 * @property {(area: Area | null) => void} zoom_to
 * @property {(on: boolean) => void} can_fit
 */

/** @param {HTMLElement} parent @param {LineChart} chart */
export function line_chart(parent, chart) {
  const fit = /** @type {HTMLButtonElement} */ (element("button", {type: "button", class: "whole", disabled: true,
    title: "The axes as these curves need them", onclick: () => { let_go(); view.zoom_to(null); }}, "Fit"));
  const log = {x: chart.log?.x ?? false, y: chart.log?.y ?? false};
  /** @type {LineView} */
  const view = {
    chart, hidden: new Set(), log, zoom: null, whole: false, held: {x: null, y: null},
    zoom_to: (area) => {
      view.zoom = area;
      frame.redraw();
    },
    can_fit: (on) => { fit.disabled = !on; },
  };
  const let_go = () => { view.held.x = view.held.y = null; };
  const log_toggle = (/** @type {"x" | "y"} */ axis) => toggle(`log ${axis}`, log[axis], (on) => {
    log[axis] = on;
    let_go();
    view.zoom_to(null);
    chart.switched?.();
  });
  const switches = {x: log_toggle("x"), y: log_toggle("y")};
  const all = toggle("all values", false, (on) => { view.whole = on; frame.redraw(); });
  const frame = figure(parent, {
    id: chart.id, title: chart.title, note: chart.note,
    controls: [...(chart.controls ?? []), switches.x, switches.y, ...(cut_of(curves_of(view)) ? [all] : []), fit],
    draw: (svg, width, own) => draw_lines(svg, width, view, own),
    columns: () => columns_of(chart),
  });
  return {
    ...frame, hidden: view.hidden, log,
    show_whole: () => view.zoom_to(null),
    /** The next drawing's axes are its own: it shows other quantities. */
    let_go,
    /** @param {{x: boolean, y: boolean}} now @param {string[]} hidden */
    set_switches: (now, hidden) => {
      if (now.x !== log.x || now.y !== log.y) let_go();
      Object.assign(log, now);
      for (const axis of /** @type {const} */ (["x", "y"])) {
        /** @type {HTMLInputElement} */ (switches[axis].querySelector("input")).checked = log[axis];
      }
      view.hidden.clear();
      for (const name of hidden) view.hidden.add(name);
    },
    /** The curves come from left to right, as they were made. */
    sweep: () => sweep(frame.root),
  };
}

/** @param {HTMLElement} root */
function sweep(root) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const area = d3.select(root).select("clipPath rect");
  if (area.empty()) return;
  const wide = area.attr("width");
  area.attr("width", 0).transition().duration(1600).ease(d3.easeLinear).attr("width", wide);
  d3.select(root).select(".end-labels").style("opacity", 0).transition().delay(1500).duration(250).style("opacity", 1);
}

/**
 * @param {number[]} values of what is shown @param {[number, number]} range @param {LineView} view @param {"x" | "y"} axis
 * @returns {{scale: any, fits: boolean}}
 */
function scale_of(values, range, {chart, log, held, zoom}, axis) {
  const scale = scale_over(values, range, log[axis]);
  const own = scale.domain(), {format} = chart[axis]();
  const is_known = values.some((value) => !log[axis] || value > 0);
  if (chart.holds && is_known) scale.domain(held[axis] = held_span(held[axis], own, log[axis], format));
  if (zoom) scale.domain(zoom[axis]);
  return {scale, fits: !zoom && (!chart.holds || !is_known || fits(held[axis], own, log[axis], format))};
}

/** @param {SVGSVGElement} svg @param {number} width @param {LineView} view @param {import("./figure.js").Frame} frame */
function draw_lines(svg, width, view, frame) {
  const {chart, hidden, log} = view;
  const height = chart.height?.(width) ?? Math.max(220, Math.min(400, Math.round(width * 0.5)));
  set_size(svg, width, height);
  const all = chart.series().map((series, index) => ({style: index, ...series}));
  const entries = all.filter((series) => !series.thin);
  const shown = all.filter(({name}) => !hidden.has(name));
  const cut = view.whole || log.y ? null : cut_of(curves_of(view));
  const points = shown.flatMap((series) => drawn_points(series, log.x, log.y)).filter((point) => !cut || Number(point.y) <= cut.high);
  const level = chart.level?.() ?? null;
  const ys = points.map(({y}) => Number(y)).concat(level && points.length > 0 ? [level.y] : [])
    .concat(chart.include?.y ?? [], cut ? [cut.high] : []);
  const {scale: y, fits: fits_y} = scale_of(ys, [height - margin.bottom, margin.top], view, "y");
  const {ticks, wide} = upright_ticks(y, height - margin.bottom - margin.top, {...chart.y(), log: log.y});
  const room = Math.max(margin.right, room_for_labels(entries.map(({name}) => name), width));
  const box = {left: Math.max(margin.left, wide), right: width - room, top: margin.top, bottom: height - margin.bottom};
  const xs = shown.flatMap((series) => drawn_points(series, log.x, log.y)).map((point) => Number(point.x)).concat(chart.include?.x ?? []);
  const {scale: x, fits: fits_x} = scale_of(xs, [box.left, box.right], view, "x");
  view.can_fit(!fits_x || !fits_y);
  draw_axes(svg, box, x, y, {...chart.x(), log: log.x}, {label: chart.y().label, ticks});
  if (chart.covered?.()) {
    frame.legend.replaceChildren();
    frame.say(`${chart.title}: the curves are shown after a guess.`);
    return;
  }
  draw_legend(frame.legend, entries.map(({name, style}) =>
    ({name, color: color_of(style), dash: dash_of(style), words: scheme_words(name)})), hidden, () => { frame.redraw(); chart.switched?.(); });
  const plot = clipped_plot(svg, chart.id, box);
  const ghosts = chart.ghosts?.() ?? null;
  for (const series of (ghosts?.series ?? []).filter(({name}) => !hidden.has(name))) draw_ghost(plot, series, x, y, log);
  if (level) draw_level(plot, box, y(level.y), level.label);
  for (const series of shown) draw_series(plot, series, x, y, log);
  const curves = shown.filter((series) => !series.thin).map((series) => ({name: series.name, color: color_of(series.style), steps: series.steps,
    spots: drawn_points(series, log.x, log.y).map((point) => ({x: x(point.x), y: y(point.y)}))}));
  const said = same_words(curves);
  if (room > margin.right) {
    const taken = level ? [{name: level.label, x: box.right - 4 - letter_width * level.label.length, y: y(level.y) - 8}] : [];
    draw_labels(svg, curves, {...box, right: width - 2}, taken);
  }
  if (cut) draw_cuts(d3.select(svg), curves_of(view), cut, x, box.top);
  frame.legend.append(...[ghosts?.words, said].flatMap((words) => (words ? [element("span", {class: "said"}, words)] : [])), ...cut_words(cut));
  add_brush(svg, box, x, y, view.zoom_to);
  add_pointer(svg, view, frame.root, shown, curves, box, x, y);
  frame.say(`${chart.title}: ${entries.map(({name}) => name).join(", ")}. ${said ? `${said} ` : ""}The table has the numbers.`);
}

/**
 * Which curves one sees as one.
 * @param {import("./end_labels.js").Drawn[]} curves
 */
function same_words(curves) {
  if (curves.length > 12) return "";
  return coinciding(curves).map((names) => `${listed(names)} coincide, to the eye.`).join(" ");
}

/** @param {SVGSVGElement} svg @param {string} id @param {import("./axes.js").Box} box */
function clipped_plot(svg, id, box) {
  const clip = `${id}-clip`;
  d3.select(svg).append("clipPath").attr("id", clip).append("rect")
    .attr("x", box.left - 5).attr("y", box.top - 5)
    .attr("width", box.right - box.left + 10).attr("height", box.bottom - box.top + 10);
  return d3.select(svg).append("g").attr("class", "plot").attr("clip-path", `url(#${clip})`);
}

/**
 * @param {SVGSVGElement} svg @param {(import("./end_labels.js").Drawn & {color: string})[]} curves
 * @param {import("./axes.js").Box} box in which words are
 * @param {import("./end_labels.js").Word[]} taken places of other words
 */
function draw_labels(svg, curves, box, taken) {
  const inside = (/** @type {import("./end_labels.js").Spot} */ {x, y}) => x >= box.left - 1 && x <= box.right && y >= box.top - 1 && y <= box.bottom + 1;
  const seen = curves.map((curve) => ({...curve, spots: curve.spots.filter(inside)}));
  const group = d3.select(svg).append("g").attr("class", "end-labels");
  for (const {name, x, y, end} of place_labels(seen, box, taken)) {
    const color = curves.find((curve) => curve.name === name)?.color ?? "";
    if (Math.abs(y - end.y) > 12) group.append("line").attr("x1", end.x).attr("y1", end.y).attr("x2", x - 2).attr("y2", y).attr("stroke", color);
    group.append("text").attr("x", x).attr("y", y + 4).attr("data-series", name).style("fill", color).text(name);
  }
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
  d3.select(svg).insert("g", "g.plot").attr("class", "brush unprinted").call(brush)
    .on("dblclick", () => zoom_to(null));
}

/**
 * @param {SVGSVGElement} svg @param {LineView} view @param {HTMLElement} root of the figure @param {Series[]} shown
 * @param {import("./crosshair.js").Read[]} curves @param {import("./axes.js").Box} box @param {any} x @param {any} y
 */
function add_pointer(svg, {chart, log}, root, shown, curves, box, x, y) {
  const format_x = chart.x().format ?? significant, format_y = chart.y().format ?? significant;
  add_crosshair(svg, root, curves, box, (at, rows) => [
    element("span", {class: "tip-head"}, `${chart.x().label}: ${format_x(x.invert(at), 3)}`),
    ...rows.map(({name, color, y: height}) => {
      const sample = element("span", {class: "sample"});
      sample.style.borderTop = `3px solid ${color}`;
      return element("span", {class: "tip-row"}, sample, `${name}: ${format_y(y.invert(height), 4)}`);
    })]);
  svg.onclick = (event) => {
    const [at_x, at_y] = d3.clientPoint(svg, event);
    const near = nearest(shown, log, x, y, at_x, at_y);
    if (near) chart.clicked?.(near);
  };
}

/**
 * Whose point within 30 pixels is closest, if there is one.
 * @param {Series[]} shown @param {{x: boolean, y: boolean}} log @param {any} x @param {any} y
 * @param {number} at_x @param {number} at_y
 */
function nearest(shown, log, x, y, at_x, at_y) {
  let best = "", least = 30;
  for (const series of shown) {
    for (const point of drawn_points(series, log.x, log.y)) {
      const distance = Math.hypot(x(point.x) - at_x, y(point.y) - at_y);
      if (distance >= least) continue;
      least = distance;
      best = series.name;
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

/** @param {any} x @param {any} y @param {Series} series */
function line_of(series, x, y) {
  return d3.line().x((/** @type {Point} */ p) => x(p.x)).y((/** @type {Point} */ p) => y(p.y))
    .curve(series.steps === "before" ? d3.curveStepBefore : series.steps === "after" ? d3.curveStepAfter : d3.curveLinear);
}

/** @param {any} plot @param {Series} series @param {any} x @param {any} y @param {{x: boolean, y: boolean}} log */
function draw_ghost(plot, series, x, y, log) {
  if (series.thin) return;
  plot.append("path").attr("class", "line ghost").attr("data-ghost", series.name).attr("stroke", color_of(series.style ?? 0))
    .attr("d", line_of(series, x, y)(drawn_points(series, log.x, log.y)));
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
    .attr("d", line_of(series, x, y)(points));
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
