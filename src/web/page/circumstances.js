// Runs that found the same network, data and machines. Who was first is an answer to somebody who has
// one of each; the rule is study/circumstances.hpp's.

import { name_of } from "./curves.js";
import { as_read } from "./typed_values.js";

/** @typedef {import("./curves.js").Group} Group */
/** @typedef {Record<string, string>} Found what a run found, by option */

/** @param {Group} group @returns {Found} */
function found_by(group) {
  return group.runs[0].circumstances ?? {};
}

/**
 * Whether `one` is all of what `other` says, or part of it.
 * @param {Found} one @param {Found} other
 */
function agrees(one, other) {
  return Object.entries(one).every(([option, text]) => other[option] === text);
}

/**
 * The parts in the order in which they first come; `text`: "latency 1 ms", what differs from the
 * others'. Who does not heed what the others do is in all that agree with it in the rest.
 * @param {Group[]} groups @returns {{text: string, groups: Group[]}[]}
 */
export function by_circumstances(groups) {
  const all = groups.map(found_by);
  const options = [...new Set(all.flatMap((one) => Object.keys(one)))].filter((option) =>
    new Set(all.filter((one) => option in one).map((one) => one[option])).size > 1);
  const told = all.map((one) => /** @type {Found} */ (Object.fromEntries(options.filter((option) => option in one).map((option) => [option, one[option]]))));
  const size = (/** @type {Found} */ one) => Object.keys(one).length;
  /** @type {Found[]} */
  const kinds = [];
  for (const one of told) {
    const is_part = told.some((other) => size(one) < size(other) && agrees(one, other));
    const is_known = kinds.some((kind) => size(kind) === size(one) && agrees(kind, one));
    if (!is_part && !is_known) kinds.push(one);
  }
  return kinds.map((kind) => ({
    text: Object.entries(kind).map(([option, text]) => `${option} ${as_read(text)}`).join(", "),
    groups: groups.filter((_, i) => agrees(told[i], kind)),
  }));
}

/**
 * What a scheme does not take makes no contestant of it: of such groups the first, named without
 * that.
 * @param {Group[]} groups @returns {Group[]}
 */
export function without_repeats(groups) {
  const own_name = (/** @type {Group} */ {runs: [run]}) => name_of({...run, varied: Object.fromEntries(
    Object.entries(run.varied ?? {}).filter(([option]) => !(run.not_taken ?? []).includes(option)))});
  /** @type {Map<string, Group>} */
  const known = new Map();
  for (const group of groups) {
    const name = own_name(group);
    if (!known.has(name)) known.set(name, {name, runs: group.runs});
  }
  return [...known.values()];
}
