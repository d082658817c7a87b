// Values of options as people type them, "10us" or "1Mbps": as numbers, to draw curves over them.

import { bit_rate, bytes, duration, significant } from "./format.js";

/** @typedef {{values: number[], format: import("./format.js").Format, log: boolean}} TypedAxis */

/** @type {{units: Record<string, number>, format: import("./format.js").Format}[]} */
const kinds_of_units = [
  {units: {"": 1}, format: significant},
  {units: {ps: 1e-12, ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600}, format: duration},
  {units: {bps: 1, kbps: 1e3, Mbps: 1e6, Gbps: 1e9, Tbps: 1e12, "B/s": 8, "kB/s": 8e3, "MB/s": 8e6, "GB/s": 8e9,
    "KiB/s": 8 * 1024, "MiB/s": 8 * 1024 ** 2, "GiB/s": 8 * 1024 ** 3}, format: bit_rate},
  {units: {B: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3}, format: bytes},
];

/** @param {string} text */
function split_value(text) {
  const found = /^\s*(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)\s*([a-zA-Zµ/]*)\s*$/.exec(text);
  return found && {number: Number(found[1]), unit: found[2]};
}

/** @type {Record<string, string>} */
const read_units = {us: "µs", bps: "bit/s", kbps: "kbit/s", Mbps: "Mbit/s", Gbps: "Gbit/s", Tbps: "Tbit/s"};

/**
 * "10 µs" of "10us", "1 Mbit/s" of "1Mbps": a value as people read it, with the number that was typed.
 * What is no number with a unit stays as it is.
 * @param {string} text
 */
export function as_read(text) {
  const part = split_value(text);
  if (part === null || part.unit === "" || !kinds_of_units.some(({units}) => part.unit in units)) return text;
  return `${part.number} ${read_units[part.unit] ?? part.unit}`;
}

/**
 * Where values lie on an axis: numbers with their units; what is not all numbers of one kind has
 * its place in the list, and its own text as tick.
 * @param {string[]} texts
 * @returns {TypedAxis}
 */
export function axis_of_texts(texts) {
  const parts = texts.map(split_value);
  const kind = kinds_of_units.find(({units}) => parts.every((part) => part !== null &&
    (part.unit in units || (part.number === 0 && part.unit === ""))));
  if (kind) {
    const values = parts.map((part) => (part === null ? NaN : part.number * (kind.units[part.unit] ?? 1)));
    return {values, format: kind.format, log: values.every((value) => value > 0)};
  }
  return {values: texts.map((_, at) => at), format: (value) => texts[value] ?? "", log: false};
}
