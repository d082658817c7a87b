// Runs as the page shows them: by contestant, each with its seeds, and as curves.

import { bytes, duration, percent, significant } from "./format.js";
import { as_read } from "./typed_values.js";

/**
 * A run as `trainyard run --json` prints it; what is used here.
 * @typedef {Record<string, any>} Run
 */

/**
 * One contestant at one point of the grid.
 * @typedef {{name: string, runs: Run[]}} Group
 */

/** @typedef {{key: string, label: string, format: import("./format.js").Format}} Quantity */

/** By the names that the program's table has for them. */
const curve_formats = {bytes, duration, percent, significant};

/** @param {"over" | "shown"} axis @returns {Quantity[]} */
function quantities_on(axis) {
  return curve_figures.filter((figure) => figure.axis === axis)
    .map(({key, label, format}) => ({key, label, format: curve_formats[format]}));
}

/** What curves go over. */
export const progress_quantities = quantities_on("over");

/** What curves show. */
export const outcome_quantities = quantities_on("shown");

/**
 * "ring, latency 1 ms", and the folder where that alone tells two apart.
 * @param {Run} run
 */
export function name_of(run) {
  const varied = Object.entries(run.varied ?? {}).map(([option, text]) => `, ${option} ${as_read(String(text))}`);
  return `${run.label}${varied.join("")}${run.source ? `, ${run.source}` : ""}`;
}

/**
 * In the order in which they first come.
 * @param {Run[]} runs @returns {Group[]}
 */
export function groups_of(runs) {
  /** @type {Map<string, Group>} */
  const groups = new Map();
  for (const run of runs) {
    const name = name_of(run);
    if (!groups.has(name)) groups.set(name, {name, runs: []});
    groups.get(name)?.runs.push(run);
  }
  return [...groups.values()];
}

/** Of a configuration, what makes two runs an answer to two questions. */
const question_options = ["time", "model", "l2", "target-loss", "target-accuracy", "target-gradient"];

/**
 * What is minimised on what data, how far, and by which clock: only runs that agree in all of it are
 * compared.
 * @param {Run} run @returns {Map<string, string>}
 */
export function asked_of(run) {
  const asked = new Map([["model", run.model.name], ["dataset", run.dataset.name]]);
  let section = "";
  for (const line of (run.configuration ?? "").split("\n")) {
    section = /^\[(.*)\]$/.exec(line)?.[1] ?? section;
    const [, name, value] = /^([\w-]+) = (.*)$/.exec(line) ?? [];
    const is_data = section === "data" && name !== "data-dir" && name !== "partition" && name !== "order" && name !== "deal" && name !== "weights";
    if (name && name !== "dataset" && (is_data || question_options.includes(name))) asked.set(name, value.replaceAll('"', ""));
  }
  return asked;
}

/**
 * The questions that runs answer, each with its runs, in the order in which they come; named by
 * model and data, and by what else tells them apart.
 * @param {Run[]} runs @returns {{name: string, runs: Run[]}[]}
 */
export function questions_of(runs) {
  /** @type {Map<string, {asked: Map<string, string>, runs: Run[]}>} */
  const questions = new Map();
  for (const run of runs) {
    const asked = asked_of(run);
    const key = JSON.stringify([...asked].sort());
    if (!questions.has(key)) questions.set(key, {asked, runs: []});
    questions.get(key)?.runs.push(run);
  }
  const all = [...questions.values()];
  const names = [...new Set(all.flatMap(({asked}) => [...asked.keys()]))].filter((name) =>
    !["model", "dataset"].includes(name) && new Set(all.map(({asked}) => asked.get(name) ?? "none")).size > 1);
  return all.map(({asked, runs: own}) => ({
    name: [`${asked.get("model")} on ${asked.get("dataset")}`, ...names.map((name) => `${name} ${asked.get(name) ?? "none"}`)].join(", "),
    runs: own,
  }));
}

/**
 * Of those, what some run has.
 * @param {Quantity[]} quantities @param {Run[]} runs
 */
export function those_known(quantities, runs) {
  return quantities.filter(({key}) => runs.some((run) => {
    const values = run.evaluations?.[key];
    return Array.isArray(values) && values.some((value) => value !== null && value !== 0);
  }));
}

/** @param {Run} run @param {string} x @param {string} y @returns {{x: number | null, y: number | null}[]} */
export function points_of(run, x, y) {
  const xs = run.evaluations?.[x], ys = run.evaluations?.[y];
  if (!Array.isArray(xs) || !Array.isArray(ys)) return [];
  return xs.map((value, at) => ({x: value, y: ys[at]}));
}

/**
 * A function of x, asked in the order of x: on the straight line between the two points around it;
 * null outside.
 * @param {{x: number, y: number}[]} points by x
 * @returns {(at: number) => number | null}
 */
export function interpolation(points) {
  let after = 0;
  return (at) => {
    while (after < points.length && points[after].x < at) ++after;
    if (after === points.length) return null;
    if (points[after].x === at) return points[after].y;
    if (after === 0) return null;
    const [a, b] = [points[after - 1], points[after]];
    return a.y + ((b.y - a.y) * (at - a.x)) / (b.x - a.x);
  };
}

/**
 * Mean, lowest and highest over seeds, where all of them have been.
 * @param {{x: number, y: number}[][]} curves one a seed
 */
export function band_over(curves) {
  const at = curves.map(interpolation);
  return curves[0].flatMap(({x}) => {
    const values = at.map((value) => value(x));
    if (values.some((value) => value === null)) return [];
    const known = /** @type {number[]} */ (values);
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
    return [{x, mean, low: Math.min(...known), high: Math.max(...known)}];
  });
}

/**
 * The series of a chart: a curve for each contestant; of several seeds each as a thin one, with
 * their mean and what lies between the lowest and the highest.
 * @param {Group[]} groups @param {string} x @param {string} y
 * @returns {import("./line_chart.js").Series[]}
 */
export function series_of(groups, x, y) {
  return groups.flatMap(({name, runs}, style) => {
    const curves = runs.map((run) => points_of(run, x, y));
    if (curves.length === 1) return [{name, style, points: curves[0]}];
    const whole = curves.map((points) => /** @type {{x: number, y: number}[]} */ (
      points.filter((point) => point.x !== null && point.y !== null)));
    const band = whole.some((points) => points.length === 0) ? [] : band_over(whole);
    return [{name, style, unmarked: true, band, points: band.map((at) => ({x: at.x, y: at.mean}))},
      ...curves.map((points) => ({name, style, thin: true, points}))];
  });
}

/**
 * The mean over those that have it; null where none has.
 * @param {Run[]} runs @param {(run: Run) => number | null | undefined} value
 */
export function mean_of(runs, value) {
  const known = /** @type {number[]} */ (runs.map(value).filter((one) => one !== null && one !== undefined));
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length;
}
