// What the messages of a pipeline carry: in words, in colours, and for a legend.

import { color_of } from "./palette.js";

/** @typedef {import("./message_timeline.js").Trace} Trace */

/**
 * "microbatch 2"; empty where it carries none.
 * @param {Trace} trace @param {number} at
 */
export function carried_words({carries, messages}, at) {
  const number = messages.carried?.[at] ?? null;
  return number === null ? "" : `${carries} ${number}`;
}

/**
 * That of the microbatch, where it carries one.
 * @param {Trace} trace @param {number} at @param {string} otherwise
 */
export function message_color({messages}, at, otherwise) {
  const number = messages.carried?.[at] ?? null;
  return number === null ? otherwise : color_of(number);
}

/** As many as there are colours. */
const most_named = 7;

/**
 * Messages by what they carry, each with a colour and its messages; in one where there are more than colours.
 * @param {Trace} trace @returns {{name: string, color: string, messages: Set<number>}[]}
 */
export function message_groups(trace) {
  const all = trace.messages.from.map((_, at) => at), carried = trace.messages.carried ?? [];
  const numbers = [...new Set(carried.flatMap((one) => (one === null ? [] : [one])))].sort((a, b) => a - b);
  const name = numbers.length === 0 ? "messages" : `messages, in the colour and with the number of their ${trace.carries}`;
  if (numbers.length === 0 || numbers.length > most_named) return [{name, color: "var(--ink)", messages: new Set(all)}];
  const others = all.filter((at) => carried[at] === null);
  return [...numbers.map((one) => ({name: `${trace.carries} ${one}`, color: color_of(one), messages: new Set(all.filter((at) => carried[at] === one))})),
    ...(others.length === 0 ? [] : [{name: "other messages", color: "var(--ink)", messages: new Set(others)}])];
}
