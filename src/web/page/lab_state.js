// What a lab page asks: its definition, where its sliders stand, and how both become an address, a
// question to the server and a place in a precomputed grid.

import { outcome_quantities, progress_quantities } from "./curves.js";

/**
 * values: of the option, as the command line takes them; texts: the same for people.
 * @typedef {{option: string, label: string, values: string[], texts: string[], value: string}} Slider
 */

/**
 * A file of docs/labs, as far as a page needs it.
 * @typedef {object} LabDefinition
 * @property {string} name
 * @property {string} title
 * @property {string} question
 * @property {string[]} story
 * @property {Record<string, string>} options that say how long its runs are
 * @property {Slider[]} sliders
 * @property {{x: string, y: string, log?: boolean}} show log: the upright axis at first
 * @property {string} timeline the contestant whose first steps are shown
 */

/** @typedef {Record<string, string>} Values of options, in the order of the sliders */
/** @typedef {{x: string, y: string, of: string}} View quantities of the curves, and whose first steps */
/** @typedef {{values: Values, view: View}} LabState */
/** @typedef {{lab?: string, schemes?: string, options: Record<string, string>, data?: string}} Question */

/** @param {LabDefinition} definition @returns {LabState} */
export function initial_state({sliders, show, timeline}) {
  return {values: Object.fromEntries(sliders.map(({option, value}) => [option, value])), view: {x: show.x, y: show.y, of: timeline}};
}

/**
 * A cell of the grid that an export carries; the program makes the same.
 * @param {Values} values
 */
export function grid_key(values) {
  return Object.entries(values).map(([option, value]) => `${option}=${value}`).join("&");
}

/**
 * For an address: what reads well there stays as it is.
 * @param {string} text
 */
export function hash_text(text) {
  return encodeURIComponent(text).replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%2F", "/");
}

/**
 * "#a=1&b=2" as pairs; what cannot be read is left out.
 * @param {string} hash
 * @returns {Map<string, string>}
 */
export function pairs_of_hash(hash) {
  /** @type {Map<string, string>} */
  const pairs = new Map();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    if (at <= 0) continue;
    try {
      pairs.set(decodeURIComponent(part.slice(0, at)), decodeURIComponent(part.slice(at + 1)));
    } catch {
      // A stray % of somebody who typed it.
    }
  }
  return pairs;
}

/** @param {[string, string][]} pairs */
export function hash_of_pairs(pairs) {
  return pairs.length === 0 ? "" : `#${pairs.map(([key, value]) => `${hash_text(key)}=${hash_text(value)}`).join("&")}`;
}

/**
 * Only what the lab knows: any other word of an address leaves the initial value.
 * @param {LabDefinition} definition @param {string} hash @returns {LabState}
 */
export function state_of_hash(definition, hash) {
  const {values, view} = initial_state(definition);
  const given = pairs_of_hash(hash);
  for (const {option, values: known} of definition.sliders) {
    const value = given.get(option);
    if (value !== undefined && known.includes(value)) values[option] = value;
  }
  const is_quantity = (/** @type {string} */ axis, /** @type {{key: string}[]} */ known) => known.some(({key}) => key === given.get(axis));
  if (is_quantity("x", progress_quantities)) view.x = given.get("x") ?? view.x;
  if (is_quantity("y", outcome_quantities)) view.y = given.get("y") ?? view.y;
  view.of = given.get("of") ?? view.of;
  return {values, view};
}

/**
 * What differs from the lab's beginning.
 * @param {LabDefinition} definition @param {LabState} state
 */
export function hash_of_state(definition, {values, view}) {
  const first = initial_state(definition);
  return hash_of_pairs([...Object.entries(values).filter(([option, value]) => value !== first.values[option]),
    ...Object.entries(view).filter(([key, value]) => value !== first.view[/** @type {keyof View} */ (key)])]);
}

/** @param {LabDefinition} definition @param {Values} values @returns {Question} */
export function question_of({name, options}, values) {
  return {lab: name, options: {...options, ...values}};
}

/**
 * The first quarter of the same runs; null where nothing says how long they are.
 * @param {Question} question @returns {Question | null}
 */
export function coarse_question(question) {
  const options = {...question.options};
  // Which goes down over the run's length: a quarter of the length is another run.
  if (options["lr-schedule"] === "cosine") return null;
  let is_shorter = false;
  for (const limit of ["epochs", "steps", "seconds"]) {
    const whole = Number(options[limit] || NaN);
    if (!(whole > 0)) continue;
    options[limit] = String(limit === "steps" ? Math.ceil(whole / 4) : whole / 4);
    is_shorter = true;
  }
  return is_shorter ? {...question, options} : null;
}

/**
 * "latency 1 ms, workers 8": the sliders in words.
 * @param {LabDefinition} definition @param {Values} values
 */
export function values_words({sliders}, values) {
  return sliders.map(({option, values: known, texts}) => `${option} ${texts[known.indexOf(values[option])]}`).join(", ");
}
