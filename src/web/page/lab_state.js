// What a lab page asks: its definition, where its sliders stand, and how both become an address, a
// question to the server and a place in a precomputed grid.

import { outcome_quantities, progress_quantities } from "./curves.js";

/**
 * values: of the option, as the command line takes them; texts: the same for people.
 * @typedef {{option: string, label: string, values: string[], texts: string[], value: string}} Slider
 */

/**
 * What is asked before anything is shown: who has the least of a figure, or the most; or, drawn, where the best lies.
 * @typedef {{question: string, figure: string, most: boolean, drawn?: import("./lab_drawn_guess.js").Drawn}} Guess
 */

/**
 * A file of docs/labs, as far as a page needs it.
 * @typedef {object} LabDefinition
 * @property {string} name
 * @property {number} number
 * @property {string} title
 * @property {string} question
 * @property {string[]} story
 * @property {Record<string, string>} options that say how long its runs are
 * @property {Slider[]} sliders
 * @property {{x: string, y: string, log?: boolean, minimum?: number}} show log: the upright axis at first; minimum: of the training loss
 * @property {string} timeline the contestant whose first steps are shown
 * @property {Guess} guess
 * @property {boolean} [untold] whether nothing says what is right
 */

/** @typedef {Record<string, string>} Values of options, in the order of the sliders */
/**
 * Quantities of the curves, and whose first steps; which axes are logarithmic ("", "x", "y", "xy"), and
 * the names of curves that are hidden, with semicolons between.
 * @typedef {{x: string, y: string, of: string, log: string, hidden: string}} View
 */
/**
 * guess: of whoever looks; "none": who wants to see without one; empty: not asked yet; answers: of all labs, as
 * lab_answers.js writes them
 * @typedef {{values: Values, view: View, guess: string, answers: string}} LabState
 */
/** @typedef {{lab?: string, schemes?: string, options: Record<string, string>, data?: string}} Question */

/** @param {LabDefinition} definition @returns {LabState} */
export function initial_state({sliders, show, timeline}) {
  return {values: Object.fromEntries(sliders.map(({option, value}) => [option, value])),
    view: {x: show.x, y: show.y, of: timeline, log: show.log ? "y" : "", hidden: ""}, guess: "", answers: ""};
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
  const {values, view: first} = initial_state(definition);
  const given = pairs_of_hash(hash);
  for (const {option, values: known} of definition.sliders) {
    const value = given.get(option);
    if (value !== undefined && known.includes(value)) values[option] = value;
  }
  return {values, view: view_of_pairs(given, first), guess: given.get("guess") ?? "", answers: given.get("answers") ?? ""};
}

/**
 * @param {Map<string, string>} given @param {View} first where nothing is given
 * @returns {View}
 */
export function view_of_pairs(given, first) {
  const known = (/** @type {string} */ key, /** @type {string[]} */ words) => words.find((word) => word === given.get(key));
  const keys = (/** @type {{key: string}[]} */ quantities) => quantities.map(({key}) => key);
  return {x: known("x", keys(progress_quantities)) ?? first.x, y: known("y", keys(outcome_quantities)) ?? first.y,
    of: given.get("of") ?? first.of, log: known("log", ["", "x", "y", "xy"]) ?? first.log, hidden: given.get("hidden") ?? first.hidden};
}

/**
 * What differs from the lab's beginning.
 * @param {LabDefinition} definition @param {LabState} state
 */
export function hash_of_state(definition, {values, view, guess, answers}) {
  const first = initial_state(definition);
  return hash_of_pairs([...Object.entries(values).filter(([option, value]) => value !== first.values[option]),
    ...Object.entries(view).filter(([key, value]) => value !== first.view[/** @type {keyof View} */ (key)]),
    .../** @type {[string, string][]} */ ([["guess", guess], ["answers", answers]].filter(([, text]) => text !== ""))]);
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
 * The runs with how far their losses are above the minimum, which the lab's file has and the server
 * would have to find anew for each question.
 * @param {LabDefinition} definition @param {Record<string, any>} document @returns {Record<string, any>}
 */
export function above_minimum({show: {minimum}}, document) {
  if (minimum === undefined) return document;
  const above = (/** @type {number | null} */ loss) => (loss === null ? null : loss - minimum);
  return {...document, runs: document.runs.map((/** @type {Record<string, any>} */ run) => (run.evaluations
    ? {...run, evaluations: {...run.evaluations, suboptimality: run.evaluations.train_loss.map(above)}} : run))};
}

/**
 * Its slider's words and where it stands: "the workers' rows: alike". An option's name may say nothing to who reads.
 * @param {Slider} slider @param {string} value
 */
function slider_words({label, values, texts}, value) {
  return `${label}: ${texts[values.indexOf(value)]}`;
}

/**
 * What other settings had that these have not.
 * @param {LabDefinition} definition @param {Values} others @param {Values} values
 */
export function difference_words({sliders}, others, values) {
  return sliders.filter(({option}) => others[option] !== values[option])
    .map((slider) => slider_words(slider, others[slider.option])).join("; ");
}

/**
 * The sliders in words.
 * @param {LabDefinition} definition @param {Values} values
 */
export function values_words({sliders}, values) {
  return sliders.map((slider) => slider_words(slider, values[slider.option])).join("; ");
}
