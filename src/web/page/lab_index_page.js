// The page that a lab begins with, and the links from each of its pages to the others.

import { element } from "./element.js";
import { answers_in, answers_of_text, answers_part, href_with } from "./lab_answers.js";

/** @typedef {{name: string, number: number, title: string, question: string, href?: string}} LabEntry href: where it is not /lab/NAME */

/**
 * free: null where there is no free page, because nobody answers it: in an export; home: null where
 * there is no list, because a lab is exported alone.
 * @typedef {{labs: LabEntry[], home?: string | null, free?: string | null}} LabLinks
 */

/** @param {LabEntry} lab */
export function lab_href({name, href}) {
  return href ?? `/lab/${encodeURIComponent(name)}`;
}

/**
 * To the list, and to the labs before and after this one.
 * @param {LabLinks} links @param {string} here the name of this page's lab, "free", or empty
 * @param {string} [answers] that go along
 */
export function lab_navigation({labs, home, free}, here, answers = "") {
  const link = (/** @type {string} */ href, /** @type {string} */ text, /** @type {Record<string, string>} */ more = {}) =>
    element("a", {href: href_with(href, answers), ...more}, text);
  const at = labs.findIndex(({name}) => name === here), before = labs[at - 1], after = labs[at + 1];
  return element("nav", {class: "labs unprinted", "aria-label": "Labs"},
    ...(home === null ? [] : [link(home ?? (free === null ? "index.html" : "/"), "All labs")]),
    ...(at >= 0 && before ? [link(lab_href(before), `‹ ${before.number} ${before.title}`, {rel: "prev"})] : []),
    ...(at >= 0 ? [element("span", {"aria-current": "page"}, `${labs[at].number}${home === null ? "" : ` of ${labs.length}`}: ${labs[at].title}`)] : []),
    ...(at >= 0 && after ? [link(lab_href(after), `${after.number} ${after.title} ›`, {rel: "next"})] : []),
    ...(free === null ? [] : [here === "free" ? element("span", {"aria-current": "page"}, "Free page") : link(free ?? "/free", "Free page")]));
}

/** @param {HTMLElement} parent @param {LabLinks} content */
export function lab_index_page(parent, {labs, free}) {
  const answers = answers_in(location.hash), known = answers_of_text(answers);
  parent.append(element("h1", {}, "Labs: who trains faster, and why"),
    element("p", {}, "Each page asks one question. Guess first; then it shows a picture that answers it. Move the sliders, and the picture follows, " +
      "with the one before it left faint. What you guessed and where the sliders stand is in the page's address, so that a link or a bookmark brings back what you see."),
    element("ol", {class: "lab-list"}, ...labs.map((lab) => element("li", {},
      element("a", {href: href_with(lab_href(lab), answers)}, lab.title), ` ${lab.question} `, element("code", {}, lab.name),
      ...(known.has(lab.name) ? [" ", element("span", {class: "answered"}, "answered")] : [])))), answers_part(labs, answers).root);
  if (free !== null) {
    parent.append(element("p", {}, element("a", {href: href_with(free ?? "/free", answers)}, "The free page"),
      " has every scheme and option, takes your own data, and gives the command line for what you see."));
  }
}
