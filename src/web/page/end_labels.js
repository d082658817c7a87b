// The names of curves at their ends, where the eye already is; and which curves lie on each other.
// All in pixels, so that what is said of a picture is what one sees in it.

import { letter_width } from "./axes.js";

/** @typedef {{x: number, y: number}} Spot */
/** @typedef {{name: string, spots: Spot[]}} Drawn a curve as it is drawn */
/** @typedef {{left: number, right: number, top: number, bottom: number}} Box */
/** @typedef {{name: string, x: number, y: number}} Word x: of its left end; y: of its middle */
/** @typedef {Word & {end: Spot}} Label */

const label_height = 14, label_gap = 7;
/** Curves closer than this anywhere are one line to the eye, whose strokes are 2 pixels wide. */
const together = 3, later = 16;

/**
 * How far a spot is from a line.
 * @param {Spot} spot @param {Spot[]} line
 */
function distance_to(spot, line) {
  let least = Infinity;
  for (let at = 1; at < line.length && least > 0; ++at) {
    const a = line[at - 1], b = line[at];
    const length = (b.x - a.x) ** 2 + (b.y - a.y) ** 2;
    const share = length === 0 ? 0 : Math.max(0, Math.min(1, ((spot.x - a.x) * (b.x - a.x) + (spot.y - a.y) * (b.y - a.y)) / length));
    least = Math.min(least, Math.hypot(a.x + share * (b.x - a.x) - spot.x, a.y + share * (b.y - a.y) - spot.y));
  }
  return least;
}

/**
 * One may end a little later: its end is told by its name.
 * @param {Spot[]} one @param {Spot[]} other
 */
function follows(one, other) {
  return one.every((spot, at) => distance_to(spot, other) <= (at === one.length - 1 ? later : together));
}

/**
 * The names of curves that lie on each other from beginning to end, group by group.
 * @param {Drawn[]} curves @returns {string[][]}
 */
export function coinciding(curves) {
  /** @type {Drawn[][]} */
  const groups = [];
  for (const curve of curves.filter(({spots}) => spots.length > 1)) {
    const group = groups.find(([first]) => follows(curve.spots, first.spots) && follows(first.spots, curve.spots));
    if (group) group.push(curve);
    else groups.push([curve]);
  }
  return groups.filter((group) => group.length > 1).map((group) => group.map(({name}) => name));
}

/**
 * Spots along a curve, close enough that no word fits between two.
 * @param {Spot[]} spots
 */
function dotted(spots) {
  /** @type {Spot[]} */
  const dots = [];
  for (let at = 0; at < spots.length; ++at) {
    const a = spots[Math.max(0, at - 1)], b = spots[at];
    const parts = Math.max(1, Math.ceil(Math.hypot(b.x - a.x, b.y - a.y) / 8));
    for (let part = 1; part <= parts; ++part) dots.push({x: a.x + ((b.x - a.x) * part) / parts, y: a.y + ((b.y - a.y) * part) / parts});
  }
  return dots;
}

/** How far names may be from their ends, the nearest first: a place that cannot be better is not looked at. */
const ways = Array.from({length: 33}, (_, at) => (at % 2 === 0 ? -1 : 1) * Math.ceil(at / 2) * (label_height / 2));

/**
 * A place for each name: beside its curve's end, or near it, off other names and off the lines.
 * @param {Drawn[]} curves @param {Box} box the drawing's, words included
 * @param {Word[]} [taken] places of other words
 * @returns {Label[]}
 */
export function place_labels(curves, box, taken = []) {
  const dots = curves.flatMap(({spots}) => dotted(spots));
  /** @type {Label[]} */
  const placed = [];
  const ends = curves.filter(({spots}) => spots.length > 0).map(({name, spots}) => ({name, end: spots[spots.length - 1]}));
  for (const {name, end} of ends.sort((a, b) => a.end.y - b.end.y)) {
    const wide = name.length * letter_width;
    let best = {cost: Infinity, x: 0, y: 0};
    for (const x of [end.x + label_gap, end.x - wide / 2, end.x - wide - label_gap]) {
      const left = Math.max(box.left, Math.min(x, box.right - wide));
      const beside = dots.filter((spot) => spot.x > left - 3 && spot.x < left + wide + 3).map((spot) => spot.y);
      const words = [...placed, ...taken].filter((other) => other.x < left + wide + 4 && left < other.x + other.name.length * letter_width + 4);
      for (const away of ways) {
        const y = end.y + away, least = Math.abs(away) + 0.5 * Math.abs(left - (end.x + label_gap));
        if (least >= best.cost || y < box.top + label_height / 2 || y > box.bottom - label_height / 2) continue;
        const over = words.filter((other) => Math.abs(other.y - y) < label_height).length;
        const covered = beside.filter((height) => Math.abs(height - y) < label_height / 2 + 1).length;
        const cost = 1000 * over + 5 * covered + least;
        if (cost < best.cost) best = {cost, x: left, y};
      }
    }
    placed.push({name, end, x: best.x, y: best.y});
  }
  return placed;
}

/**
 * The width beside the plot in which names stand; 0 where the drawing is too narrow, or the curves
 * are too many.
 * @param {string[]} names @param {number} width
 */
export function room_for_labels(names, width) {
  if (names.length < 2 || names.length > 10 || width < 560) return 0;
  return Math.min(0.22 * width, Math.max(...names.map((name) => name.length)) * letter_width + label_gap + 6);
}
