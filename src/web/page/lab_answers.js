// What somebody has guessed, lab by lab: it goes in the address from page to page, as files that are opened from a disk
// keep nothing for each other, and home as a file that scripts/grade_answers.py grades.

import { element } from "./element.js";
import { hash_of_pairs, pairs_of_hash } from "./lab_state.js";
import { offer_file } from "./save.js";

/** @typedef {Map<string, string>} Answers lab → guess; "none": who looked without one */

/**
 * Of "straggler:ring;local-steps:9".
 * @param {string} text @returns {Answers}
 */
export function answers_of_text(text) {
  /** @type {Answers} */
  const answers = new Map();
  for (const part of text.split(";")) {
    const at = part.indexOf(":");
    if (at > 0 && at + 1 < part.length) answers.set(part.slice(0, at), part.slice(at + 1));
  }
  return answers;
}

/** @param {Answers} answers */
export function text_of_answers(answers) {
  return [...answers].map(([lab, guess]) => `${lab}:${guess}`).join(";");
}

/**
 * With one more. The first one of a lab stays: it was made before the picture was seen.
 * @param {string} text @param {string} lab @param {string} guess
 */
export function with_answer(text, lab, guess) {
  const answers = answers_of_text(text);
  return answers.has(lab) ? text : text_of_answers(answers.set(lab, guess));
}

/** @param {string} hash of an address */
export function answers_in(hash) {
  return pairs_of_hash(hash).get("answers") ?? "";
}

/**
 * A link that takes them along.
 * @param {string} href @param {string} text
 */
export function href_with(href, text) {
  return text === "" ? href : `${href}${hash_of_pairs([["answers", text]])}`;
}

/** @param {string} student @param {string} text */
export function answer_file(student, text) {
  return `${JSON.stringify({format: "trainyard answers 1", student, answers: Object.fromEntries(answers_of_text(text))}, null, 2)}\n`;
}

/**
 * How many there are, and a button that saves them.
 * @param {{name: string}[]} labs @param {string} first
 */
export function answers_part(labs, first) {
  let text = first;
  const count = element("p", {});
  const name = /** @type {HTMLInputElement} */ (element("input", {name: "student", autocomplete: "name", size: 24}));
  const save = () => {
    const who = name.value.trim();
    offer_file(`answers ${who.replaceAll(/[^\p{L}\p{N} .-]/gu, "_") || "of nobody"}.json`, "application/json", answer_file(who, text));
  };
  const root = element("section", {id: "answers", class: "unprinted"}, element("h2", {}, "Your answers"), count,
    element("p", {}, element("label", {}, "your name ", name), " ", element("button", {type: "button", onclick: save}, "Save them as a file")));
  const show = (/** @type {string} */ now) => {
    text = now;
    const answers = answers_of_text(text), known = labs.filter((lab) => answers.has(lab.name)).length;
    root.hidden = known === 0;
    count.textContent = `You have answered ${known} of ${labs.length}. They go with you by the links of these pages, in the address.`;
  };
  show(first);
  return {root, show};
}
