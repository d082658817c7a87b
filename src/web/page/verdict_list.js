// The sentences of who was first and why: of many the first few and the last, the others folded.

import { by_circumstances, without_repeats } from "./circumstances.js";
import { element } from "./element.js";
import { mark_of, most_together } from "./family.js";
import { limits_of } from "./limits.js";
import { has_target, unranked_words, verdicts_of } from "./reasons.js";
import { scheme_words } from "./words.js";

/** @typedef {import("./curves.js").Group} Group */
/** @typedef {import("./reasons.js").Verdict} Verdict */

/** Of many so many are read before the others are asked for. */
const first_few = 3;

/**
 * The first few, those in between, and the last; all are first where they are few.
 * @template T
 * @param {T[]} all @returns {{first: T[], between: T[], last: T[]}}
 */
export function folded(all) {
  if (all.length <= most_together) return {first: all, between: [], last: []};
  return {first: all.slice(0, first_few), between: all.slice(first_few, -1), last: all.slice(-1)};
}

/**
 * @param {string} list "ol" or "ul" @param {Verdict[]} verdicts @param {(name: string) => string} mark beside a name
 * @returns {HTMLElement[]}
 */
function folded_list(list, verdicts, mark) {
  const {first, between, last} = folded(verdicts);
  const part = (/** @type {Verdict[]} */ some, /** @type {number} */ from) =>
    element(list, {class: "verdicts", start: list === "ol" && from > 1 ? from : false}, ...some.map(({name, outcome, reason}) =>
      element("li", {}, element("strong", {title: scheme_words(name) || false}, name), `${mark(name)} ${outcome} ${reason}`)));
  if (between.length === 0) return [part(first, 1)];
  return [part(first, 1),
    element("details", {class: "more"}, element("summary", {}, `and ${between.length} more`), part(between, first.length + 1)),
    part(last, verdicts.length)];
}

/**
 * Each network for itself, as far as they differ: who is first on one need not be on another.
 * @param {Group[]} groups @param {string[]} [lacking] runs that were asked for and are not there
 */
export function verdict_lists(groups, lacking) {
  const parts = by_circumstances(without_repeats(groups));
  if (parts.length === 1) return verdict_list(parts[0].groups, lacking);
  return parts.flatMap(({text, groups: own}) => [element("h3", {class: "circumstances"}, text), ...verdict_list(own, lacking)]);
}

/**
 * Where most came to the target within an evaluation of the first one their order says nothing.
 * @param {Verdict[]} ranked
 */
export function closeness_words(ranked) {
  const close = ranked.filter(({outcome}) => outcome.includes("less than one evaluation apart")).length;
  if (close <= 3 || 2 * close <= ranked.length) return "";
  return `${close} of ${ranked.length} were at the target less than one evaluation apart, and stand in no order: a shorter --evaluate-every tells them apart.`;
}

/** @param {Group[]} groups @param {string[]} [lacking] */
function verdict_list(groups, lacking) {
  const verdicts = verdicts_of(groups, lacking);
  const mark = (/** @type {string} */ name) => mark_of(groups.find((group) => group.name === name)?.runs ?? []);
  const ranked = verdicts.filter(({within}) => within === ""), apart = verdicts.filter(({within}) => within !== "");
  const close = closeness_words(ranked);
  const is_numbered = unranked_words(groups, lacking) === "" && has_target(groups) && close === "";
  const lists = [...(close ? [element("p", {class: "close"}, close)] : []), ...folded_list(is_numbered ? "ol" : "ul", ranked, mark)];
  if (apart.length === 0) return lists;
  const places = [...new Set(apart.map(({within}) => within))].join(" or ");
  const few = groups.length <= most_together;
  const words = element("p", {class: "apart"}, `Apart from them, as the network lies between machines: their workers share memory, within ${places}, and nothing of theirs crosses it.`);
  const list = folded_list("ul", apart, mark);
  return few ? [...lists, words, ...list] : [...lists, element("details", {class: "more"},
    element("summary", {}, `and apart from them ${apart.length} that share memory`), words, ...list)];
}

/**
 * What limits the first one, and the other sentences that the figures of all bear out; of several
 * networks there is none.
 * @param {Group[]} groups @param {string[]} [lacking]
 */
export function limits_list(groups, lacking) {
  const parts = by_circumstances(without_repeats(groups));
  const limits = parts.length === 1 ? limits_of(parts[0].groups, lacking) : [];
  if (limits.length === 0) return [];
  return [element("ul", {class: "limits", "aria-label": "What limits them"}, ...limits.map(({about, text}) =>
    element("li", {}, ...(about ? [element("strong", {}, `What limits ${about}`), `: ${text}`] : [text]))))];
}
