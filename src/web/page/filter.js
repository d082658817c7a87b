// A field that looks for contestants, and a button for each of their families: what is drawn below is
// of those that are found.

import { element } from "./element.js";
import { facets_of, is_meant } from "./family.js";

/** @typedef {import("./curves.js").Group} Group */

/** Milliseconds after a key: no figure is drawn while somebody types. */
const pause = 200;

/**
 * @param {HTMLElement} parent @param {Group[]} groups @param {(found: Group[]) => void} found
 */
export function filter_field(parent, groups, found) {
  const facets = facets_of(groups);
  let later = 0, part = "";
  const field = /** @type {HTMLInputElement} */ (element("input", {type: "search", size: 24, placeholder: "ring, local sgd", "aria-describedby": "found",
    oninput: () => { clearTimeout(later); later = Number(setTimeout(show, pause)); }}));
  const count = element("output", {id: "found"});
  const buttons = facets.length < 2 ? [] : facets.map(({name, words, groups: own}) => element("button", {
    type: "button", title: words || false, "data-part": name, "aria-pressed": "false", onclick: () => choose(name)}, `${name} (${own.length})`));
  /**
   * Once more: all of them again.
   * @param {string} name
   */
  const choose = (name) => {
    part = part === name ? "" : name;
    show();
  };
  const show = () => {
    clearTimeout(later);
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.part === part));
    const among = part === "" ? groups : facets.find(({name}) => name === part)?.groups ?? [];
    const meant = among.filter((group) => is_meant(group, field.value));
    count.textContent = meant.length === 0 ? `None of ${groups.length} has all of these words; a comma is an or.`
      : meant.length === groups.length ? `all ${groups.length}` : `${meant.length} of ${groups.length}`;
    found(meant);
  };
  count.textContent = `all ${groups.length}`;
  parent.append(element("section", {class: "controls filter unprinted", "aria-label": "Which contestants the figures below show"},
    element("label", {}, "Find ", field), ...buttons, count));
  return {choose};
}
