// The page that a lab begins with, and the links from each of its pages to the others.

import { element } from "./element.js";

/** @typedef {{name: string, title: string, question: string, href?: string}} LabEntry href: where it is not /lab/NAME */

/**
 * free: null where there is no free page, because nobody answers it: in an export.
 * @typedef {{labs: LabEntry[], home?: string, free?: string | null}} LabLinks
 */

/** @param {LabEntry} lab */
export function lab_href({name, href}) {
  return href ?? `/lab/${encodeURIComponent(name)}`;
}

/**
 * @param {LabLinks} links @param {string} here the name of this page's lab, "free", or empty
 */
export function lab_navigation({labs, home, free}, here) {
  const link = (/** @type {string} */ href, /** @type {string} */ text, /** @type {boolean} */ is_here) =>
    element("a", {href, "aria-current": is_here ? "page" : false}, text);
  return element("nav", {class: "labs unprinted", "aria-label": "Labs"}, link(home ?? (free === null ? "index.html" : "/"), "All labs", false),
    ...labs.map((lab) => link(lab_href(lab), lab.title, lab.name === here)),
    ...(free === null ? [] : [link(free ?? "/free", "Free page", here === "free")]));
}

/** @param {HTMLElement} parent @param {LabLinks} content */
export function lab_index_page(parent, {labs, free}) {
  parent.append(element("h1", {}, "Labs: who trains faster, and why"),
    element("p", {}, "Each page asks one question and shows a picture that answers it; move the sliders, and the picture follows. " +
      "Where the sliders stand is in the page's address, so that a link or a bookmark brings back what you see."),
    element("ol", {class: "lab-list"}, ...labs.map((lab) => element("li", {},
      element("a", {href: lab_href(lab)}, lab.title), ` ${lab.question}`))));
  if (free !== null) {
    parent.append(element("p", {}, element("a", {href: free ?? "/free"}, "The free page"),
      " has every scheme and option, takes your own data, and gives the command line for what you see."));
  }
}
