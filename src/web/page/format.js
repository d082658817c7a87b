// Numbers as people read them, as the program's tables have them.

/** @param {number} value @param {number} [digits] */
export function significant(value, digits = 4) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(digits - 1).replace(/\.?0*e/, "e");
  return String(Number(value.toPrecision(digits)));
}

/** @typedef {(value: number, digits?: number) => string} Format digits: significant ones, at most */

/**
 * @param {number} value
 * @param {[number, string][]} units largest first
 * @param {number | undefined} digits
 */
function in_units(value, units, digits) {
  const size = Math.abs(value);
  // What is rounded up to 1000 of a unit is 1 of the next.
  const [scale, unit] = units.find(([least]) => size >= least * 0.99995) ?? units[units.length - 1];
  return `${significant(value / scale, digits)} ${unit}`;
}

/** @type {[number, string][]} */
const parts_of_a_second = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];

/** @param {number} seconds @param {number} [digits] */
export function duration(seconds, digits) {
  if (seconds === 0) return "0 s";
  if (Math.abs(seconds) >= 7200) return in_units(seconds, [[3600, "h"]], digits);
  if (Math.abs(seconds) >= 120) return in_units(seconds, [[60, "min"]], digits);
  return in_units(seconds, parts_of_a_second, digits);
}

/**
 * The unit in which people tell moments apart that are between two: minutes and hours where these
 * are far apart, and not only late.
 * @param {number} from @param {number} until
 * @returns {[number, string]} in seconds, and its name
 */
export function unit_of_moments(from, until) {
  const latest = Math.max(Math.abs(from), Math.abs(until)), apart = Math.abs(until - from);
  if (latest >= 120) return apart >= 7200 ? [3600, "h"] : apart >= 120 ? [60, "min"] : [1, "s"];
  return parts_of_a_second.find(([least]) => latest >= least * 0.99995) ?? [1e-9, "ns"];
}

/**
 * How to write moments between two: late ones with the digits that tell them apart.
 * @param {number} from @param {number} until
 * @returns {Format}
 */
export function moment_format(from, until) {
  const apart = until - from;
  if (!(apart > 0) || Math.abs(until) < 10 * apart) return duration;
  const [scale, unit] = unit_of_moments(from, until);
  const decimals = Math.max(0, Math.min(20, 4 - Math.floor(Math.log10(apart / scale))));
  return (seconds) => `${Number((seconds / scale).toFixed(decimals))} ${unit}`;
}

/** @param {number} count @param {number} [digits] */
export function bytes(count, digits) {
  return in_units(count, [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]], digits);
}

/** @param {number} bits @param {number} [digits] */
export function bit_rate(bits, digits) {
  return in_units(bits, [[1e12, "Tbit/s"], [1e9, "Gbit/s"], [1e6, "Mbit/s"], [1e3, "kbit/s"], [1, "bit/s"]], digits);
}

/** @param {number} share of 1 @param {number} [digits] */
export function percent(share, digits) {
  return `${Number((100 * share).toPrecision(digits ?? (share < 0.1 ? 1 : 2)))} %`;
}

/**
 * "1 round", "3 rounds", "32561 rows": whole numbers with all their digits.
 * @param {number} count @param {string} thing
 */
export function counted(count, thing) {
  return `${Number.isInteger(count) ? significant(count, 9) : significant(count)} ${thing}${count === 1 ? "" : "s"}`;
}

/**
 * ", ports cutthrough, charge-control": options as documents have them, a switch by its name.
 * @param {Record<string, string>} [settings]
 */
export function clauses(settings = {}) {
  return Object.entries(settings).map(([option, text]) => (text === "true" ? `, ${option}` : `, ${option} ${text}`)).join("");
}

/**
 * "ring", "ring and tree", "ring, tree and ps"
 * @param {string[]} names
 */
export function listed(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

/**
 * Those with the least, within what anybody would call a difference.
 * @template T
 * @param {T[]} all @param {(one: T) => number} value
 */
export function least_of(all, value) {
  const least = all.reduce((found, one) => Math.min(found, value(one)), Infinity);
  return all.filter((one) => value(one) <= least * 1.005);
}

/**
 * "1.8 times", for a factor of at least 1; small leads keep the digits that make them one.
 * @param {number} factor
 */
export function times(factor) {
  return `${Number(factor.toPrecision(factor < 1.1 || factor >= 10 ? 3 : 2))} times`;
}

/**
 * "1.8 times as fast", and "as fast" where nobody could tell.
 * @param {number} factor @param {string} word
 */
export function times_as(factor, word) {
  return factor < 1.005 ? `as ${word}` : `${times(factor)} as ${word}`;
}

/**
 * A field of CSV.
 * @param {unknown} value
 */
export function csv_field(value) {
  if (value === null || value === undefined) return "";
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
