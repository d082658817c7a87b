// What the free page asks: schemes and options as they are typed, and the same as an address, a
// question, a command line and a configuration file.

import { hash_of_pairs, pairs_of_hash, view_of_pairs } from "./lab_state.js";

/** @typedef {{section: string, name: string, argument: string, help: string, value: string}} FreeOption argument: empty for a switch; value: the default */
/** @typedef {import("./lab_state.js").View} View */
/** @typedef {import("./lab_state.js").Question} Question */

/**
 * options: those that are given, with what was typed; a switch has an empty text.
 * @typedef {{schemes: string, seeds: string, options: Record<string, string>, view: View}} FreeState
 */

/**
 * What was uploaded: the server's word for it, the file's name, and how it was read.
 * @typedef {{token: string, name: string, reading: Record<string, string>}} OwnData
 */

/**
 * "ring,ssp{staleness=1,lr=2}" at the commas that are in no braces.
 * @param {string} text
 */
export function split_schemes(text) {
  return text.split(/,(?![^{]*\})/).map((one) => one.trim()).filter((one) => one !== "");
}

/**
 * "gossip" of "gossip:torus" and "gossip{lr=1}".
 * @param {string} contestant
 */
export function scheme_name(contestant) {
  return contestant.split(/[:{]/)[0];
}

/**
 * With that scheme at the end, or without all contestants of it.
 * @param {string} text @param {string} name @param {boolean} on
 */
export function with_scheme(text, name, on) {
  const others = split_schemes(text).filter((one) => on || scheme_name(one) !== name);
  return [...others, ...(on ? [name] : [])].join(",");
}

/**
 * @param {string} hash @param {FreeState} first @param {FreeOption[]} known @returns {FreeState}
 */
export function free_state_of_hash(hash, first, known) {
  const given = pairs_of_hash(hash);
  const options = Object.fromEntries(known.flatMap(({name}) => {
    const text = given.get(name);
    return text === undefined ? [] : [[name, text]];
  }));
  return {schemes: given.get("schemes") ?? first.schemes, seeds: given.get("seeds") ?? first.seeds, options,
    view: view_of_pairs(given, first.view)};
}

/** @param {FreeState} state @param {FreeState} first */
export function hash_of_free_state({schemes, seeds, options, view}, first) {
  /** @type {[string, string][]} */
  const pairs = [["schemes", schemes], ["seeds", seeds]];
  const is_new = (/** @type {string} */ key, /** @type {string} */ value) =>
    value !== /** @type {any} */ ({...first.view, schemes: first.schemes, seeds: first.seeds})[key];
  return hash_of_pairs([...pairs.filter(([key, value]) => is_new(key, value)), ...Object.entries(options),
    ...Object.entries(view).filter(([key, value]) => is_new(key, value))]);
}

/**
 * What the file of a lab says, for this page.
 * @typedef {{schemes: string, options: Record<string, string>}} FreeStart
 */

/** @type {FreeState} */
const nothing = {schemes: "", seeds: "1", options: {}, view: {x: "", y: "", of: "", log: "", hidden: ""}};

/**
 * The address with what a lab's page shows, whatever this page itself begins with. How far a loss is
 * above its minimum is not there: that the server would have to find for each question.
 * @param {FreeStart} start @param {Record<string, string>} values of its sliders @param {View} view
 */
export function address_from_lab({schemes, options}, values, view) {
  const shown = view.y === "suboptimality" ? {...view, y: "", log: view.log.replace("y", "")} : view;
  return hash_of_free_state({schemes, seeds: "1", options: {...options, ...values}, view: shown}, nothing);
}

/**
 * Own data are in place of a generated set, whichever is named.
 * @param {Record<string, string>} options @param {OwnData | null} data
 */
function options_beside(options, data) {
  return Object.fromEntries(Object.entries(options).filter(([name]) => data === null || name !== "dataset"));
}

/** @param {FreeState} state @param {OwnData | null} data @returns {Question & {seeds?: number}} */
export function free_question({schemes, seeds, options}, data) {
  return {schemes, options: options_beside(options, data), ...(seeds === "1" ? {} : {seeds: Number(seeds)}), ...(data ? {data: data.token} : {})};
}

/**
 * A word for a POSIX shell.
 * @param {string} text
 */
export function shell_word(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * What the lab takes besides what is given: its time is always simulated, and a minibatch takes 1 ms
 * where nobody says otherwise.
 * @param {FreeState} state @param {OwnData | null} data @returns {Record<string, string>}
 */
export function whole_options({options}, data) {
  const own = data ? {dataset: data.name, ...data.reading} : {};
  return {time: "virtual", "compute-time": "1ms", ...own, ...options_beside(options, data)};
}

/** @param {FreeState} state @param {OwnData | null} data @param {FreeOption[]} known */
export function command_line(state, data, known) {
  const switches = new Set(known.filter(({argument}) => argument === "").map(({name}) => name));
  const words = ["trainyard", "compare", "--schemes", shell_word(state.schemes), ...(state.seeds === "1" ? [] : ["--seeds", shell_word(state.seeds)])];
  for (const [name, text] of Object.entries(whole_options(state, data))) {
    words.push(`--${name}`, ...(switches.has(name) ? [] : [shell_word(text)]));
  }
  return words.join(" ");
}

/** @param {string} text */
function toml_string(text) {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}

/** @param {string} text */
function toml_value(text) {
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? text : toml_string(text);
}

const reading_section = "data";

/**
 * A file for `trainyard compare FILE --schemes …`.
 * @param {FreeState} state @param {OwnData | null} data @param {FreeOption[]} known
 */
export function toml_text(state, data, known) {
  const seeds = state.seeds === "1" ? "" : ` --seeds ${shell_word(state.seeds)}`;
  const lines = [`# trainyard compare FILE --schemes ${shell_word(state.schemes)}${seeds}`];
  /** @type {Map<string, string[]>} */
  const sections = new Map([["run", []]]);
  for (const [name, text] of Object.entries(whole_options(state, data))) {
    const option = known.find((one) => one.name === name);
    const section = option?.section ?? (name === "time" ? "run" : name === "compute-time" ? "compute" : reading_section);
    const value = option?.argument === "" ? "true" : option ? toml_value(text) : toml_string(text);
    sections.set(section, [...(sections.get(section) ?? []), `${name} = ${value}`]);
  }
  for (const [section, values] of sections) {
    if (values.length > 0) lines.push("", `[${section}]`, ...values);
  }
  return `${lines.join("\n")}\n`;
}
