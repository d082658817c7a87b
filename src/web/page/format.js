// Numbers as people read them, as the program's tables have them.

/** @param {number} value @param {number} [digits] */
export function significant(value, digits = 4) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(digits - 1).replace(/\.?0*e/, "e");
  return String(Number(value.toPrecision(digits)));
}

/**
 * @param {number} value
 * @param {[number, string][]} units largest first
 */
function in_units(value, units) {
  const size = Math.abs(value);
  // What is rounded up to 1000 of a unit is 1 of the next.
  const [scale, unit] = units.find(([least]) => size >= least * 0.99995) ?? units[units.length - 1];
  return `${significant(value / scale)} ${unit}`;
}

/** @param {number} seconds */
export function duration(seconds) {
  if (seconds === 0) return "0 s";
  if (Math.abs(seconds) >= 7200) return in_units(seconds, [[3600, "h"]]);
  if (Math.abs(seconds) >= 120) return in_units(seconds, [[60, "min"]]);
  return in_units(seconds, [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]]);
}

/** @param {number} count */
export function bytes(count) {
  return in_units(count, [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]]);
}

/** @param {number} bits */
export function bit_rate(bits) {
  return in_units(bits, [[1e12, "Tbit/s"], [1e9, "Gbit/s"], [1e6, "Mbit/s"], [1e3, "kbit/s"], [1, "bit/s"]]);
}

/** @param {number} share of 1 */
export function percent(share) {
  return `${Number((100 * share).toPrecision(share < 0.1 ? 1 : 2))} %`;
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
