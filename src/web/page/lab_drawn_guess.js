// A guess that is a place on a line, "draw where the best period lies": the line, and what is said of the mark.

import { element } from "./element.js";
import { significant } from "./format.js";

/**
 * from, to: of the line, which is logarithmic; units: of one and of several; right: from where to where the figure is at
 * most `tolerance` times the least there is, missing from pages that tell no answers.
 * @typedef {{option: string, units: string[], from: number, to: number, right?: number[], tolerance?: number}} Drawn
 */

/** Places on the line: fine enough for a mark, few enough for the arrow keys. */
const line_places = 120;

/**
 * Whole where the line is of whole numbers, which begin at 1.
 * @param {Drawn} drawn @param {number} place
 */
export function value_at({from, to}, place) {
  const value = from * (to / from) ** (place / line_places);
  return from >= 1 ? Math.round(value) : Number(value.toPrecision(2));
}

/** @param {Drawn} drawn @param {number} value */
export function with_unit({units: [one, several]}, value) {
  return `${significant(value)} ${value === 1 ? one : several}`;
}

/**
 * 1, 2, 5, 10, … on the line, with how far along it each is.
 * @param {Drawn} drawn @returns {{value: number, share: number}[]}
 */
export function line_ticks({from, to}) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.log10(to); ++power) {
    for (const digit of [1, 2, 5]) {
      const value = Number(`${digit}e${power}`);
      if (value >= from && value <= to) ticks.push({value, share: Math.log(value / from) / Math.log(to / from)});
    }
  }
  return ticks;
}

/** @param {Drawn} drawn @param {string} guessed */
export function is_right({right: [low, high] = [NaN, NaN]}, guessed) {
  return Number(guessed) >= low && Number(guessed) <= high;
}

/**
 * What is said of a mark; of none, where it would have been right.
 * @param {Drawn} drawn @param {string} guessed
 */
export function drawn_words(drawn, guessed) {
  const {right: [low, high] = [NaN, NaN], tolerance = NaN} = drawn;
  const where = `from ${significant(low)} to ${with_unit(drawn, high)} a run comes there at most ${significant(100 * (tolerance - 1))} % later than at the best`;
  if (!(Number(guessed) > 0)) return `F${where.slice(1)}.`;
  const marked = `You marked ${with_unit(drawn, Number(guessed))}`;
  return is_right(drawn, guessed) ? `${marked}, and that is right: ${where}.` : `${marked}. But f${where.slice(1)}.`;
}

/** @param {Drawn} drawn @param {string} question @param {(guessed: string) => void} chosen */
export function drawn_line(drawn, question, chosen) {
  const output = element("output", {class: "mark"});
  const value = () => value_at(drawn, Number(range.value));
  const show = () => {
    output.textContent = with_unit(drawn, value());
    range.setAttribute("aria-valuetext", output.textContent);
  };
  // At an end, so that nobody is right who has not marked anything.
  const moved = () => {
    show();
    button.disabled = false;
    button.textContent = `I guess ${output.textContent}`;
  };
  const range = /** @type {HTMLInputElement} */ (element("input", {type: "range", min: 0, max: line_places, step: 1, value: 0, name: "mark",
    "aria-label": question, oninput: moved}));
  const ticks = element("div", {class: "line-ticks", "aria-hidden": "true"}, ...line_ticks(drawn).map(({value: tick, share}) => {
    const mark = element("span", {}, significant(tick));
    mark.style.setProperty("--share", String(share));
    return mark;
  }));
  const button = /** @type {HTMLButtonElement} */ (element("button", {type: "button", class: "mark-it", disabled: true,
    onclick: () => chosen(String(value()))}, "I guess …"));
  show();
  return element("div", {class: "drawn-line"}, element("p", {class: "help"}, "Mark it on the line."), range, ticks, element("p", {}, output, " ", button));
}
