// What there is to say beside the figures: the warnings and notes of a document.

import { element } from "./element.js";

/**
 * about: of several runs those that it is of; empty: all.
 * @typedef {{about: string, text: string}} Note text: begins with "warning: " or "note: "
 */

const most_open = 6;

/**
 * A note in parts: "Warning", whom it is about, and what.
 * @param {Note} note
 */
export function parts_of_note({about, text}) {
  const [, kind, what] = /^(warning|note): ([^]*)$/.exec(text) ?? [null, "note", text];
  return {kind: kind === "warning" ? "Warning" : "Note", about, what};
}

/**
 * A list of them, folded where it is long; warnings first.
 * @param {Note[] | undefined} notes @returns {HTMLElement[]} empty without any
 */
export function notes_list(notes) {
  if (!notes || notes.length === 0) return [];
  const parts = notes.map(parts_of_note);
  const ordered = [...parts.filter(({kind}) => kind === "Warning"), ...parts.filter(({kind}) => kind !== "Warning")];
  const list = element("ul", {}, ...ordered.map(({kind, about, what}) =>
    element("li", {class: kind.toLowerCase()}, element("strong", {}, kind), about ? `, ${about}: ${what}` : `: ${what}`)));
  return [element("details", {class: "notes", open: notes.length <= most_open},
    element("summary", {}, `What there is to say beside the figures (${notes.length})`), list)];
}
