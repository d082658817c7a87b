// The stage on which curves are drawn while somebody moves a slider: axes that hold still, so that
// one sees the curves move, and grow in steps where curves leave them.

import { duration, unit_of_moments } from "./format.js";

/** @typedef {[number, number]} Span low, high */

/** How many times the curves' own width a held axis may be before it is fitted to them again: one that diverges must not hide all others for ever. */
export const widest = 25;

/** @param {number} value @param {boolean} up @param {number[]} digits @returns {number} one of them, 1 to 10, times a power of ten */
function rounded_off(value, up, digits) {
  const power = 10 ** Math.floor(Math.log10(value) + 1e-9), share = value / power;
  const digit = up ? digits.find((one) => one >= share - 1e-9) : [...digits].reverse().find((one) => one <= share + 1e-9);
  return Number(((digit ?? 1) * power).toPrecision(12));
}

/**
 * Rounded outwards: a logarithmic axis to 1, 2, 3 or 5 times a power of ten, another one to six of such
 * steps or fewer, which are of the unit in which moments are written.
 * @param {Span} span @param {boolean} log @param {import("./format.js").Format} [format] @returns {Span}
 */
export function stepped([low, high], log, format) {
  if (log) return [rounded_off(low, false, [1, 2, 3, 5, 10]), rounded_off(high, true, [1, 2, 3, 5, 10])];
  const [unit] = format === duration ? unit_of_moments(low, high) : [1];
  const step = rounded_off((high - low) / unit / 6, true, [1, 2, 5, 10]) * unit;
  const at = (/** @type {number} */ count) => Number((count * step).toPrecision(12));
  return [at(Math.floor(low / step + 1e-6)), at(Math.ceil(high / step - 1e-6))];
}

/** @param {Span} span @param {boolean} log */
function width_of([low, high], log) {
  return log ? Math.log(high / low) : high - low;
}

/**
 * What an axis shows next: what it has shown, as long as the values are within and not lost in it.
 * @param {Span | null} held @param {Span} values @param {boolean} log @param {import("./format.js").Format} [format]
 * @returns {Span}
 */
export function held_span(held, values, log, format) {
  if (held === null || width_of(held, log) > widest * width_of(values, log)) return stepped(values, log, format);
  if (values[0] >= held[0] && values[1] <= held[1]) return held;
  return stepped([Math.min(held[0], values[0]), Math.max(held[1], values[1])], log, format);
}

/**
 * Whether the axis is the one that the values alone would have.
 * @param {Span | null} held @param {Span} values @param {boolean} log @param {import("./format.js").Format} [format]
 */
export function fits(held, values, log, format) {
  const own = stepped(values, log, format);
  return held === null || (held[0] === own[0] && held[1] === own[1]);
}
