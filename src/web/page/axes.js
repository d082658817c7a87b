// Scales and axes of d3, with the choices that all charts here make.

import { duration, significant, unit_of_moments } from "./format.js";

/** @typedef {import("./format.js").Format} Format */
/** @typedef {{label: string, format?: Format, log?: boolean, at?: number[]}} AxisContent at: the only values that there are, like numbers of workers */
/** @typedef {{values: number[], texts: string[]}} Ticks */

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
 * Ticks, so many where that is possible: on a logarithmic axis powers of ten, also 2 and 5 times them
 * where there is room, and on a narrow one what a linear axis has. Those of times are round in the
 * unit that they are written in: minutes are not tenths of hours.
 * @param {any} scale
 * @param {number} count
 * @param {boolean} log
 * @param {Format} [format]
 * @returns {Ticks}
 */
export function ticks_of(scale, count, log, format = significant) {
  const [low, high] = scale.domain();
  if (!log || Math.log10(high / low) < 0.7) return even_ticks(low, high, count, log, format);
  const values = powers_between(low, high, count, format === duration ? units_of_time : one_unit);
  return {values, texts: values.map((value) => (format === duration ? round_time(value) : format(value)))};
}

/** @param {number} low @param {number} high @param {number} count @param {boolean} positive @param {Format} format @returns {Ticks} */
function even_ticks(low, high, count, positive, format) {
  const [scale, unit] = format === duration ? unit_of_moments(low, high) : [1, ""];
  const values = moments_between(low / scale, high / scale, count, unit)
    .filter((/** @type {number} */ value) => !positive || value > 0);
  const digits = digits_apart(values);
  return {values: values.map((/** @type {number} */ value) => value * scale),
    texts: values.map((/** @type {number} */ value) => (unit ? `${significant(value, digits)} ${unit}` : format(value, digits)))};
}

/** @type {Record<string, number[]>} steps between moments as clocks have them: 1.5 hours are no step, nor are 50 minutes */
const clock_steps = {min: [1, 2, 5, 10, 15, 20, 30, 60], h: [0.5, 1, 2, 3, 6, 12, 24, 48]};

/** @param {number} low @param {number} high @param {number} count @param {string} unit @returns {number[]} */
function moments_between(low, high, count, unit) {
  const step = clock_steps[unit]?.find((one) => (high - low) / one <= count + 1);
  if (step === undefined) return d3.scaleLinear().domain([low, high]).ticks(count);
  return d3.range(Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9) + 1).map((/** @type {number} */ at) => at * step);
}

/**
 * So many that no two ticks look alike; undefined where the format's own do.
 * @param {number[]} values evenly spaced, by a step of one digit
 */
function digits_apart(values) {
  if (values.length < 2) return undefined;
  const largest = Math.max(...values.map(Math.abs)), step = Math.abs(values[1] - values[0]);
  const needed = Math.floor(Math.log10(largest / step) + 1e-9) + 2;
  return needed > 2 ? Math.max(4, needed) : undefined;
}

/** @typedef {{scale: number, below: number}} PowerUnit powers of ten times scale, from scale itself where it is above 1, up to below */

/** @type {PowerUnit[]} */
const one_unit = [{scale: 1, below: Infinity}];
/** @type {PowerUnit[]} what is close to the next unit is left out */
const units_of_time = [{scale: 1, below: 45}, {scale: 60, below: 2700}, {scale: 3600, below: Infinity}];

/** @param {number} seconds of units_of_time */
function round_time(seconds) {
  if (seconds >= 3600) return `${significant(seconds / 3600)} h`;
  return seconds >= 60 ? `${significant(seconds / 60)} min` : duration(seconds);
}

/** @param {number} low @param {number} high @param {number} count @param {PowerUnit[]} units @returns {number[]} */
function powers_between(low, high, count, units) {
  const times = (/** @type {number[]} */ digits) => units.flatMap(({scale, below}) =>
    d3.range(Math.floor(Math.log10(low / scale)), Math.floor(Math.log10(high / scale) + 1e-9) + 1)
      .flatMap((/** @type {number} */ exponent) => digits.map((digit) => scale * Number(`${digit}e${exponent}`)))
      .filter((/** @type {number} */ tick) => tick < below && (scale === 1 || tick >= scale) &&
        tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)));
  const [coarse, ...finer] = [[1], [1, 3], [1, 2, 5]].map(times);
  const finest = finer.reverse().find((ticks) => ticks.length <= count);
  if (finest) return finest;
  // A single tick would not say how far apart values are.
  const ticks = coarse.length > 1 ? coarse : finer[finer.length - 1];
  return ticks.filter((/** @type {number} */ _, /** @type {number} */ at) => at % Math.ceil(ticks.length / count) === 0);
}

export const letter_width = 6.8;

/** Beyond its axis a drawing goes on for so long at least; the last word is moved back into it. */
const beyond_axis = 10;

/**
 * Whether words have room beside each other.
 * @param {any} scale @param {Ticks} ticks from left to right
 */
function have_room(scale, {values, texts}) {
  const half = texts.map((text) => (letter_width * text.length) / 2);
  const end = Math.max(...scale.range()) + beyond_axis;
  const middle = values.map((value, at) => Math.min(scale(value), end - half[at]));
  return values.every((_, at) => at === 0 || middle[at] - middle[at - 1] >= half[at] + half[at - 1] + 6);
}

/**
 * As many, up to that number, as have room beside each other.
 * @param {any} scale @param {number} count @param {boolean} log @param {Format} [format] @returns {Ticks}
 */
export function ticks_beside(scale, count, log, format) {
  for (let most = count; ; --most) {
    const ticks = ticks_of(scale, most, log, format);
    if (have_room(scale, ticks) || most <= 2) return ticks;
  }
}

/**
 * One for each of the only values that there are, where all have room; null otherwise.
 * @param {any} scale @param {AxisContent} axis @returns {Ticks | null}
 */
export function ticks_at(scale, {at = [], format = significant}) {
  const [low, high] = scale.domain();
  const values = [...new Set(at)].filter((value) => value >= low && value <= high).sort((a, b) => a - b);
  const ticks = {values, texts: values.map((value) => format(value))};
  return values.length > 1 && have_room(scale, ticks) ? ticks : null;
}

/**
 * A horizontal axis whose first and last words stay within the drawing.
 * @param {any} root
 * @param {any} scale
 * @param {{ticks: Ticks, y: number, width: number}} axis
 */
export function draw_x_axis(root, scale, {ticks: {values, texts}, y, width}) {
  const group = root.append("g").attr("class", "axis x").attr("transform", `translate(0,${y})`)
    .call(d3.axisBottom(scale).tickValues(values).tickFormat((/** @type {number} */ _, /** @type {number} */ at) => texts[at]).tickSizeOuter(0));
  group.selectAll(".tick text").attr("text-anchor", (/** @type {number} */ tick, /** @type {number} */ at) => {
    const half = (letter_width / 2) * texts[at].length + 2;
    return scale(tick) + half > width ? "end" : scale(tick) - half < 0 ? "start" : "middle";
  });
}

/**
 * @param {any} root @param {Box} box @param {any} scale @param {Ticks} ticks
 */
function draw_y_axis(root, box, scale, {values, texts}) {
  root.append("g").attr("class", "axis y").attr("transform", `translate(${box.left},0)`)
    .call(d3.axisLeft(scale).tickValues(values).tickFormat((/** @type {number} */ _, /** @type {number} */ at) => texts[at]).tickSizeOuter(0)
      .tickSizeInner(box.left - box.right).tickPadding(6));
}

/**
 * Of an upright axis, with their words' width.
 * @param {any} scale @param {number} height @param {AxisContent} axis
 */
export function upright_ticks(scale, height, {log, format}) {
  const ticks = ticks_of(scale, Math.max(2, Math.floor(height / 45)), Boolean(log), format);
  return {ticks, wide: letter_width * Math.max(0, ...ticks.texts.map((text) => text.length)) + 10};
}

/**
 * @param {SVGSVGElement} svg
 * @param {Box} box
 * @param {any} x
 * @param {any} y
 * @param {AxisContent} x_axis
 * @param {{label: string, ticks: Ticks}} y_axis
 */
export function draw_axes(svg, box, x, y, x_axis, y_axis) {
  const root = d3.select(svg);
  const ticks = ticks_at(x, x_axis) ?? ticks_beside(x, Math.max(2, Math.floor((box.right - box.left) / 90)), Boolean(x_axis.log), x_axis.format);
  draw_x_axis(root, x, {ticks, y: box.bottom, width: box.right + beyond_axis});
  draw_y_axis(root, box, y, y_axis.ticks);
  root.append("text").attr("class", "axis-label").attr("x", box.right).attr("y", box.bottom + 34)
    .attr("text-anchor", "end").text(x_axis.label);
  root.append("text").attr("class", "axis-label").attr("x", 4).attr("y", 12).text(y_axis.label);
}
