// The page of `score`: how good a model's predictions are, its confusions, and the curves by which
// a threshold is chosen.

import { element } from "./element.js";
import { counted, percent, significant } from "./format.js";
import { heat_map } from "./heat_map.js";
import { line_chart } from "./line_chart.js";
import { table } from "./table.js";

/**
 * Points of a class's curves, from no row that is said to be of it to all; a threshold is null at
 * the first.
 * @typedef {object} RankingCurve
 * @property {(number | null)[]} threshold
 * @property {number[]} recall
 * @property {number[]} false_positive_rate
 * @property {number[]} precision
 */

/**
 * @typedef {object} ClassRow
 * @property {string} class
 * @property {number} rows a sum of weights, where rows have some
 * @property {number} predicted
 * @property {number} precision
 * @property {number} recall
 * @property {number} f1
 * @property {number | null} roc_auc
 * @property {number | null} average_precision
 * @property {RankingCurve | null} curve
 */

/** @typedef {{rows: number, weight: number, mean_probability: number, fraction: number}} CalibrationBin */

/**
 * @typedef {object} ClassMeasures
 * @property {number} accuracy
 * @property {number | null} loss
 * @property {number | null} brier
 * @property {number} macro_f1
 * @property {ClassRow[]} classes
 * @property {number[][]} confusion rows by label, then by what was said
 * @property {CalibrationBin[]} calibration empty unless there are two classes
 */

/** @typedef {{loss: number, rmse: number, mae: number, r2: number | null}} RealMeasures */

/**
 * As `score --json` prints it.
 * @typedef {object} ScoreDocument
 * @property {string} model
 * @property {string} file
 * @property {number} rows
 * @property {number} measured
 * @property {number} left_out
 * @property {number} missing_fields
 * @property {number} unknown_words
 * @property {string | null} weighted_by
 * @property {string | null} unweighted
 * @property {ClassMeasures | RealMeasures | null} measures
 */

/** @param {ClassMeasures} measures @returns {string[]} */
function sentences_of_classes({accuracy, classes}) {
  const all = classes.reduce((sum, {rows}) => sum + rows, 0);
  const largest = classes.reduce((found, one) => (one.rows > found.rows ? one : found));
  const first = `${percent(accuracy, 3)} of the rows are said to be what they are; ` +
    `who always says ${largest.class} is right in ${percent(largest.rows / all, 3)}.`;
  const found = (/** @type {ClassRow} */ one) => `${percent(one.recall, 3)} of those that are ${one.class} are found`;
  const there = classes.filter(({rows}) => rows > 0);
  if (there.length < 2) return [first];
  if (classes.length === 2) {
    const [, positive] = classes;
    const right = positive.predicted > 0 ? `${percent(positive.precision, 3)} of those said to be ${positive.class} are.`
      : `No row is said to be ${positive.class}.`;
    return [first, `${found(positive)}. ${right}`];
  }
  const [worst, best] = [...there].sort((a, b) => a.recall - b.recall).filter((_, at, {length}) => at === 0 || at === length - 1);
  return [first, worst.recall === best.recall ? `${percent(best.recall, 3)} of each class are found.` : `${found(best)}, and ${found(worst)}.`];
}

/** @param {ScoreDocument} content @returns {string[]} what a reader first wants to know */
export function score_sentences({measures}) {
  if (measures === null) return ["The rows have no labels, so nothing is measured."];
  if ("classes" in measures) return sentences_of_classes(measures);
  const explained = measures.r2 === null ? "All labels are equal."
    : measures.r2 > 0 ? `The squared error is ${percent(1 - measures.r2, 3)} of that of the labels' mean.`
      : "The labels' mean would be as good a prediction, or better.";
  return [`A prediction is off by ${significant(measures.mae)} in the mean (the root of the mean square is ${significant(measures.rmse)}).`, explained];
}

/** @param {ScoreDocument} content how the rows were taken */
export function score_setting({model, file, rows, measured, left_out, missing_fields, unknown_words, weighted_by, unweighted}) {
  return [`The model of ${model} on ${counted(rows, "row")} of ${file}`,
    measured === rows || measured === 0 ? "" : `${counted(measured, "row")} measured`,
    left_out > 0 ? `${counted(left_out, "row")} without a prediction for missing fields` : "",
    missing_fields > 0 ? `${counted(missing_fields, "missing field")} filled as in training` : "",
    unknown_words > 0 ? `${counted(unknown_words, "word")} that training did not see, taken as 0` : "",
    weighted_by ? `each row counts as often as ${weighted_by} says` : "",
    unweighted ? `each row counts once, where training had weights by ${unweighted}` : ""].filter((part) => part !== "").join("; ") + ".";
}

/** @param {HTMLElement} parent @param {ClassMeasures} measures */
function draw_confusion(parent, {classes, confusion}) {
  const names = classes.map((one) => one.class);
  const share = (/** @type {number} */ label, /** @type {number} */ said) => {
    const all = confusion[label].reduce((sum, count) => sum + count, 0);
    return all > 0 ? confusion[label][said] / all : 0;
  };
  heat_map(parent, {
    id: "confusion", title: "What is taken for what",
    note: "Each row is a class, its cells are what its rows were said to be. What is off the diagonal is wrong.",
    columns: names, rows: names, column_label: "said to be", row_label: "is",
    cell: (row, column) => ({
      text: `${significant(confusion[row][column], 9)}\n${percent(share(row, column))}`, strength: share(row, column),
      name: `${significant(confusion[row][column], 9)} that are ${names[row]} are said to be ${names[column]}: ${percent(share(row, column), 3)} of them`,
      color: row === column ? "var(--series-0)" : "var(--series-1)",
    }),
    data: () => [{heading: "is", values: names.flatMap((name) => names.map(() => name))},
      {heading: "said to be", values: names.flatMap(() => names)}, {heading: "rows", values: confusion.flat()}],
  });
}

/** @typedef {{name: string, curve: RankingCurve}} NamedCurve */

/** @param {number[]} xs @param {number[]} ys */
const points = (xs, ys) => xs.map((x, at) => ({x, y: ys[at]}));
const unit_square = {x: [0, 1], y: [0, 1]};

/** @param {HTMLElement} parent @param {NamedCurve[]} curves @param {ClassRow[]} classes */
function draw_ranking(parent, curves, classes) {
  const last = curves.length;
  line_chart(parent, {
    id: "roc", title: "Found, for false alarms (ROC)", include: unit_square,
    note: "From strict to lenient: up is good, and the diagonal is chance. The areas under the curves are in the table below.",
    series: () => [...curves.map(({name, curve}) => ({name, plain: true, points: points(curve.false_positive_rate, curve.recall)})),
      {name: "chance", style: last, unmarked: true, points: points([0, 1], [0, 1])}],
    x: () => ({label: "of the others, said to be of the class"}), y: () => ({label: "of the class, found (recall)"}),
  });
  const [only] = curves.length === 1 ? classes.filter((one) => one.class === curves[0].name) : [];
  const all = classes.reduce((sum, {rows}) => sum + rows, 0);
  line_chart(parent, {
    id: "precision-recall", title: "Right, for found (precision and recall)", include: unit_square,
    note: "From strict, at the left, to lenient. Where a class is rare this says more than the curve above.",
    series: () => curves.map(({name, curve}) => ({name, plain: true, points: points(curve.recall, curve.precision)})),
    x: () => ({label: "of the class, found (recall)"}), y: () => ({label: "right of those said to be of it (precision)"}),
    level: () => (only ? {y: only.rows / all, label: `all rows said to be ${only.class}`} : null),
  });
}

/** @param {HTMLElement} parent @param {NamedCurve} named @param {boolean} probabilities */
function draw_thresholds(parent, {name, curve}, probabilities) {
  const thresholds = /** @type {number[]} */ (curve.threshold.slice(1));
  const of = (/** @type {number[]} */ values) => points(thresholds, values.slice(1));
  line_chart(parent, {
    id: "threshold", title: `Where to say ${name}`, include: {x: probabilities ? [0, 1] : [], y: [0, 1]},
    note: `A row is said to be ${name} where ${probabilities ? "its probability" : "the prediction"} is at least the threshold; ` +
      "a lower one finds more, and is wrong more often.",
    series: () => [{name: "recall", plain: true, points: of(curve.recall)}, {name: "precision", plain: true, points: of(curve.precision)},
      {name: "false positive rate", plain: true, points: of(curve.false_positive_rate)}],
    x: () => ({label: "threshold"}), y: () => ({label: "share"}),
  });
}

/** @param {HTMLElement} parent @param {CalibrationBin[]} bins @param {string} name */
function draw_calibration(parent, bins, name) {
  const filled = bins.filter(({weight}) => weight > 0);
  line_chart(parent, {
    id: "calibration", title: "Do probabilities mean what they say?", include: unit_square,
    note: `Rows in ten groups by their probability of ${name}: on the diagonal it is as frequent as it is said to be.`,
    series: () => [{name, points: points(filled.map((bin) => bin.mean_probability), filled.map(({fraction}) => fraction))},
      {name: "as said", style: 1, unmarked: true, points: points([0, 1], [0, 1])}],
    x: () => ({label: "mean probability"}), y: () => ({label: `share that is ${name}`}),
  });
}

/** @param {HTMLElement} parent @param {ClassMeasures} measures */
function draw_classes(parent, measures) {
  const {classes, calibration} = measures;
  draw_confusion(parent, measures);
  const curves = classes.flatMap((one) => (one.curve ? [{name: one.class, curve: one.curve}] : []));
  if (curves.length > 0) draw_ranking(parent, curves, classes);
  if (classes.length === 2 && curves.length === 1) draw_thresholds(parent, curves[0], measures.loss !== null);
  if (calibration.length > 0) draw_calibration(parent, calibration, classes[1].class);
  const headings = Object.keys(classes[0]).filter((heading) => heading !== "curve");
  parent.append(element("section", {id: "classes"}, table(headings.map((heading) =>
    ({heading, values: classes.map((one) => /** @type {any} */ (one)[heading])})), "Each class against the others")));
}

/** @param {HTMLElement} parent @param {ScoreDocument} content */
export function score_page(parent, content) {
  const {measures} = content;
  parent.append(element("h1", {}, "How good are the predictions?"),
    ...score_sentences(content).map((sentence) => element("p", {class: "answer"}, sentence)),
    element("p", {class: "setting"}, score_setting(content)));
  if (measures === null) return;
  if ("classes" in measures) draw_classes(parent, measures);
  const figures = Object.entries(/** @type {Record<string, any>} */ (measures))
    .filter(([, value]) => value === null || typeof value === "number");
  parent.append(element("section", {id: "figures"}, table([{heading: "measure", values: figures.map(([name]) => name)},
    {heading: "value", values: figures.map(([, value]) => value)}], "All rows together")));
}
