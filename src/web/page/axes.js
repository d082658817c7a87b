// Scales and axes of d3, with the choices that all charts here make.

import { significant } from "./format.js";

/** @typedef {{label: string, format?: (value: number) => string, log?: boolean}} AxisContent */

/**
 * Plot area within a drawing.
 * @typedef {{left: number, right: number, top: number, bottom: number}} Box
 */

/**
 * A scale over the values, and around a single one; logarithmic where that is asked for and possible.
 * @param {number[]} values finite
 * @param {[number, number]} range
 * @param {boolean} log only of positive values; others are left out
 */
export function scale_over(values, range, log) {
  const shown = log ? values.filter((value) => value > 0) : values;
  let [low, high] = shown.length > 0 ? d3.extent(shown) : log ? [0.1, 1] : [0, 1];
  if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];
  if (log) return d3.scaleLog().domain([low, high]).range(range);
  return d3.scaleLinear().domain([low, high]).range(range);
}

/**
 * Ticks that have room: on a logarithmic axis powers of ten, also 2 and 5 times them where there is
 * room, and on a narrow one what a linear axis has.
 * @param {any} scale
 * @param {number} count
 * @param {boolean} log
 * @returns {number[]}
 */
export function ticks_of(scale, count, log) {
  if (!log) return scale.ticks(count);
  const [low, high] = scale.domain();
  const decades = Math.log10(high / low);
  if (decades < 0.7) return d3.scaleLinear().domain([low, high]).ticks(count).filter((/** @type {number} */ t) => t > 0);
  const exponents = d3.range(Math.floor(Math.log10(low)), Math.floor(Math.log10(high) + 1e-9) + 1);
  const [coarse, ...finer] = [[1], [1, 3], [1, 2, 5]].map((digits) => exponents
    .flatMap((/** @type {number} */ exponent) => digits.map((digit) => Number(`${digit}e${exponent}`)))
    .filter((/** @type {number} */ tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)));
  const finest = finer.reverse().find((ticks) => ticks.length <= count);
  if (finest) return finest;
  // A single tick would not say how far apart values are.
  const ticks = coarse.length > 1 ? coarse : finer[finer.length - 1];
  return ticks.filter((/** @type {number} */ _, /** @type {number} */ at) => at % Math.ceil(ticks.length / count) === 0);
}

/**
 * d3 hands a format also the tick's place in the list, which is no number of digits.
 * @param {((value: number) => string) | undefined} format
 * @returns {(value: number) => string}
 */
export function tick_text(format) {
  return (value) => (format ?? significant)(value);
}

/**
 * A horizontal axis whose first and last words stay within the drawing.
 * @param {any} root
 * @param {any} scale
 * @param {{ticks: number[], format?: (value: number) => string, y: number, width: number}} axis
 */
export function draw_x_axis(root, scale, {ticks, format, y, width}) {
  const group = root.append("g").attr("class", "axis x").attr("transform", `translate(0,${y})`)
    .call(d3.axisBottom(scale).tickValues(ticks).tickFormat(tick_text(format)).tickSizeOuter(0));
  group.selectAll(".tick text").attr("text-anchor", function (/** @type {number} */ tick) {
    const half = (3.4 * tick_text(format)(tick).length) + 2;
    return scale(tick) + half > width ? "end" : scale(tick) - half < 0 ? "start" : "middle";
  });
}

/**
 * @param {SVGSVGElement} svg
 * @param {Box} box
 * @param {any} x
 * @param {any} y
 * @param {AxisContent} x_axis
 * @param {AxisContent} y_axis
 */
export function draw_axes(svg, box, x, y, x_axis, y_axis) {
  const root = d3.select(svg);
  const x_ticks = ticks_of(x, Math.max(2, Math.floor((box.right - box.left) / 90)), Boolean(x_axis.log));
  const y_ticks = ticks_of(y, Math.max(2, Math.floor((box.bottom - box.top) / 45)), Boolean(y_axis.log));
  draw_x_axis(root, x, {ticks: x_ticks, format: x_axis.format, y: box.bottom, width: box.right + 10});
  root.append("g").attr("class", "axis y").attr("transform", `translate(${box.left},0)`)
    .call(d3.axisLeft(y).tickValues(y_ticks).tickFormat(tick_text(y_axis.format)).tickSizeOuter(0)
      .tickSizeInner(box.left - box.right).tickPadding(6));
  root.append("text").attr("class", "axis-label").attr("x", box.right).attr("y", box.bottom + 34)
    .attr("text-anchor", "end").text(x_axis.label);
  root.append("text").attr("class", "axis-label").attr("x", 4).attr("y", 12).text(y_axis.label);
}
