// Contestants by what they have in common: many are read group by group.

import { name_of } from "./curves.js";

/** @typedef {import("./curves.js").Group} Group */
/** @typedef {{name: string, words: string, groups: Group[]}} Facet words: what they have in common, under the pointer */

/** A chart tells so many curves apart, by colour and by the names at their ends. */
export const most_together = 10;

/** So many charts of one scheme each are looked through; more schemes are told by their families. */
const most_labels = 8;

const unknown = "others";

/**
 * For whom its workers wait: of the program's table, where a scheme of one's own is not.
 * @param {import("./curves.js").Run} run
 */
export function family_of(run) {
  return table_words.families.find(({schemes}) => schemes.includes(run.scheme))?.name ?? unknown;
}

/** @param {Group[]} groups @param {(group: Group) => string} key @returns {Map<string, Group[]>} */
function by(groups, key) {
  /** @type {Map<string, Group[]>} */
  const parts = new Map();
  for (const group of groups) parts.set(key(group), [...parts.get(key(group)) ?? [], group]);
  return parts;
}

/**
 * The parts in which many are shown, none of which is empty: few schemes at many settings each by
 * themselves, many schemes by family.
 * @param {Group[]} groups @returns {Facet[]}
 */
export function facets_of(groups) {
  const labels = by(groups, ({runs}) => runs[0].label);
  if (labels.size <= most_labels && labels.size < groups.length) {
    return [...labels].map(([name, own]) => ({name, words: "", groups: own}));
  }
  const families = by(groups, ({runs}) => family_of(runs[0]));
  return [...table_words.families, {name: unknown, words: "schemes that are not in the program's table"}].flatMap(({name, words}) => {
    const own = families.get(name);
    return own ? [{name, words, groups: own}] : [];
  });
}

/**
 * A row for each; of more than a screen has, one for each part, the mean over those of it that have
 * the figure.
 * @param {Group[]} groups @param {number} most rows
 * @param {(group: Group) => (number | null)[]} values
 * @returns {{name: string, values: (number | null)[]}[]}
 */
export function bar_rows(groups, most, values) {
  const facets = facets_of(groups);
  if (groups.length <= most || facets.length === 1) return groups.map((group) => ({name: marked_name(group), values: values(group)}));
  return facets.map(({name, groups: own}) => {
    const all = own.map(values);
    const mean = (/** @type {(number | null)[]} */ some) => {
      const known = /** @type {number[]} */ (some.filter((one) => one !== null));
      return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length;
    };
    return {name: own.length === 1 ? own[0].name : `${name}, mean of ${own.length}`, values: all[0].map((_, at) => mean(all.map((one) => one[at])))};
  });
}

/**
 * " (crashed)": what the program's tables say beside the name of such runs.
 * @param {import("./curves.js").Run[]} runs
 */
export function mark_of(runs) {
  return ["interrupted", "crashed"].filter((fate) => runs.some((run) => run[fate])).map((fate) => ` (${fate})`).join("");
}

/** @param {Group} group */
export function marked_name({name, runs}) {
  return `${name}${mark_of(runs)}`;
}

/**
 * Whether a reader who typed that means this one: all words of one of the alternatives, which commas
 * separate, are in its name, its scheme's or its family's.
 * @param {Group} group @param {string} typed
 */
export function is_meant({name, runs: [run]}, typed) {
  const text = `${name} ${name_of(run)} ${run.scheme} ${family_of(run)}`.toLowerCase();
  const alternatives = typed.toLowerCase().split(",").map((one) => one.split(/\s+/).filter((word) => word !== "")).filter((words) => words.length > 0);
  return alternatives.length === 0 || alternatives.some((words) => words.every((word) => text.includes(word)));
}
