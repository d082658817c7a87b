// A guess before the picture is seen: what a lab asks, what its runs answer, and what is said of it.

import { groups_of, mean_of } from "./curves.js";
import { element } from "./element.js";
import { bytes, duration, listed, significant } from "./format.js";
import { drawn_line, drawn_words } from "./lab_drawn_guess.js";
import { color_of, dash_of } from "./palette.js";
import { scheme_words } from "./words.js";

/** @typedef {import("./lab_state.js").Guess} Guess */
/** @typedef {import("./curves.js").Run} Run */
/**
 * value: null where the run did not come to it; interval: of a time to the target, between the two evaluations in question;
 * passes: until there.
 * @typedef {{name: string, value: number | null, interval?: number | null, passes?: number | null}} Guessable
 */
/** @typedef {{one: string, several: string}} Saying of one contestant, and of several */

/**
 * What is said of who has the least of a figure, of who has the most, and of its value.
 * @type {Record<string, {least: Saying, most: Saying, value: (value: number) => string, lacking: string}>}
 */
export const guess_figures = {
  seconds_to_target: {least: {one: "is first", several: "are first"}, most: {one: "is last", several: "are last"},
    value: (value) => `after ${duration(value)}`, lacking: "never"},
  seconds: {least: {one: "is through first", several: "are through first"}, most: {one: "is through last", several: "are through last"},
    value: (value) => `after ${duration(value)}`, lacking: ""},
  train_loss: {least: {one: "ends lowest", several: "end lowest"}, most: {one: "ends highest", several: "end highest"},
    value: (value) => `with a training loss of ${significant(value)}`, lacking: "with a loss beyond all numbers"},
  bytes_sent: {least: {one: "sends least", several: "send least"}, most: {one: "sends most", several: "send most"},
    value: (value) => bytes(value), lacking: ""},
  consensus_distance: {least: {one: "ends closest together", several: "end closest together"},
    most: {one: "ends furthest apart", several: "end furthest apart"}, value: (value) => `with a consensus distance of ${significant(value)}`, lacking: ""},
};

/** @param {Run[]} runs @param {Guess} guess @returns {Guessable[]} */
export function guessables(runs, {figure}) {
  const of_target = figure === "seconds_to_target";
  return groups_of(runs).map(({name, runs: own}) => ({name,
    value: mean_of(own, (run) => (figure === "train_loss" && run.diverged ? null : run[figure])),
    ...(of_target ? {interval: mean_of(own, (run) => run.target_interval_s), passes: mean_of(own, (run) => run.epochs_to_target)} : {})}));
}

/**
 * Whether a straight line between two evaluations, in place of the curve, decides who of the two is sooner. With as many
 * passes they have the same curve, and the same line.
 * @param {Guessable} one @param {Guessable} other
 */
export function are_near(one, other) {
  if (!one.interval || !other.interval || !one.passes || !other.passes || one === other) return false;
  const is_one_curve = Math.abs(one.passes / other.passes - 1) < 1e-3;
  return !is_one_curve && Math.abs(Number(one.value) - Number(other.value)) < Math.min(one.interval, other.interval);
}

/**
 * Whoever has it, within what anybody would call a difference, or within an evaluation; what is lacking is more than any
 * number.
 * @param {Guessable[]} all @param {boolean} most
 */
export function answers_of(all, most) {
  const lacking = all.filter(({value}) => value === null);
  if (most && lacking.length > 0) return lacking;
  const known = all.filter(({value}) => value !== null);
  const best = known.find(({value}) => Number(value) === (most ? Math.max : Math.min)(...known.map((one) => Number(one.value))));
  if (!best) return [];
  const is_alike = (/** @type {number} */ value) => (most ? value >= Number(best.value) / 1.005 : value <= Number(best.value) * 1.005);
  return known.filter((one) => is_alike(Number(one.value)) || are_near(best, one));
}

/**
 * What the figures say to a guess; of none, the answer alone.
 * @param {Guessable[]} all @param {Guess} guess @param {string} guessed
 */
export function guess_words(all, {figure, most, drawn}, guessed) {
  const words = guess_figures[figure], right = answers_of(all, most);
  const value = (/** @type {Guessable} */ one) => (one.value === null ? words.lacking : words.value(one.value));
  const saying = (most ? words.most : words.least)[right.length === 1 ? "one" : "several"];
  const first = right.reduce((a, b) => ((most ? Number(b.value) > Number(a.value) : Number(b.value) < Number(a.value)) ? b : a), right[0]);
  const near = right.some((one) => are_near(first, one)) ? ", less than one evaluation apart" : "";
  const said = `${listed(right.map(({name}) => name))} ${saying}${near}, ${value(first)}`;
  if (drawn) return `${drawn_words(drawn, guessed)} In the picture ${said}.`;
  const own = all.find(({name}) => name === guessed);
  if (!own) return `${said}.`;
  if (right.includes(own)) return `You guessed ${guessed}, and that is right: ${said}.`;
  const size = (/** @type {Guessable} */ one) => one.value ?? Infinity;
  const place = 1 + all.filter((one) => (most ? size(one) > size(own) : size(one) < size(own))).length;
  return `You guessed ${guessed}. But ${said}. ${guessed} is number ${place} of ${all.length}, ${value(own)}.`;
}

/**
 * @param {Run[]} runs @param {Guess} guess @param {(guessed: string) => void} chosen empty: by who does not want to guess
 */
export function guess_card(runs, {question, drawn}, chosen) {
  const unasked = element("button", {type: "button", class: "no-guess", onclick: () => chosen("")}, "Show it without a guess");
  const legend = element("legend", {}, `Guess first: ${question}`);
  if (drawn) return element("fieldset", {class: "guess unprinted"}, legend, drawn_line(drawn, question, chosen), unasked);
  const names = groups_of(runs).map(({name}) => name);
  const summaries = names.map(scheme_words), alike = new Set(summaries).size === 1;
  const buttons = names.map((name, at) => {
    const sample = element("span", {class: "sample"});
    sample.style.borderTop = `3px ${dash_of(at) ? "dashed" : "solid"} ${color_of(at)}`;
    return element("button", {type: "button", class: "guess-choice", onclick: () => chosen(name)}, sample, element("strong", {}, name),
      ...(alike || summaries[at] === "" ? [] : [element("span", {class: "help"}, summaries[at])]));
  });
  return element("fieldset", {class: "guess unprinted"}, legend,
    ...(alike && summaries[0] ? [element("p", {class: "help"}, summaries[0])] : []),
    ...buttons, unasked);
}
