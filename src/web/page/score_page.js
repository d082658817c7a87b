// The page of `score`: how good a model's predictions are, its confusions, and the curves by which
// a threshold is chosen.

import { element } from "./element.js";
import { counted, significant } from "./format.js";
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

/**
 * In percent, with as many digits as it takes not to say all or none of what is only nearly so.
 * @param {number} part of 1
 */
export function share_text(part) {
  if (part === 0 || part === 1) return `${100 * part} %`;
  const near = Math.min(part, 1 - part);
  const decimals = Math.max(1, Math.min(12, Math.ceil(-Math.log10(near)) - 1));
  return `${Number((100 * part).toFixed(decimals))} %`;
}

/**
 * A number of rows, or a sum of their weights.
 * @param {number} count
 */
export function amount(count) {
  return Number.isInteger(count) ? String(count) : significant(count, 6);
}

/** @param {ClassMeasures} measures @returns {string[]} */
function sentences_of_classes({accuracy, classes}) {
  const all = classes.reduce((sum, {rows}) => sum + rows, 0);
  const largest = classes.reduce((found, one) => (one.rows > found.rows ? one : found));
  const first = `${share_text(accuracy)} of the rows are said to be what they are; ` +
    `who always says ${largest.class} is right in ${share_text(largest.rows / all)}.`;
  const found = (/** @type {ClassRow} */ one) => `${share_text(one.recall)} of those that are ${one.class} are found`;
  const there = classes.filter(({rows}) => rows > 0);
  if (there.length < 2) return [first];
  if (classes.length === 2) {
    const [, positive] = classes;
    const right = positive.predicted > 0 ? `Of those said to be ${positive.class}, ${share_text(positive.precision)} are ${positive.class}.`
      : `No row is said to be ${positive.class}.`;
    return [first, `${found(positive)}. ${right}`];
  }
  const [worst, best] = [...there].sort((a, b) => a.recall - b.recall).filter((_, at, {length}) => at === 0 || at === length - 1);
  return [first, share_text(worst.recall) === share_text(best.recall) ? `${share_text(best.recall)} of each class are found.` : `${found(best)}, and ${found(worst)}.`];
}

/** @param {ScoreDocument} content @returns {string[]} what a reader first wants to know */
export function score_sentences({measures, rows, left_out}) {
  if (measures === null && left_out === rows) return ["No row has a prediction, so nothing is measured."];
  if (measures === null) return ["Labels are not there, or passed over, so nothing is measured."];
  if ("classes" in measures) return sentences_of_classes(measures);
  const explained = measures.r2 === null ? "All labels are equal."
    : measures.r2 > 0 ? `The squared error is ${share_text(1 - measures.r2)} of that of the labels' mean.`
      : "The labels' mean would be as good a prediction, or better.";
  return [`A prediction is off by ${significant(measures.mae)} in the mean (the root of the mean square is ${significant(measures.rmse)}).`, explained];
}

/** @param {ScoreDocument} content how the rows were taken */
export function score_setting({model, file, rows, measured, left_out, missing_fields, unknown_words, weighted_by, unweighted}) {
  return [`The model of ${model} on ${amount(rows)} row${rows === 1 ? "" : "s"} of ${file}`,
    measured === rows || measured === 0 ? "" : `${amount(measured)} measured`,
    left_out > 0 ? `${counted(left_out, "row")} without a prediction for missing fields` : "",
    missing_fields > 0 ? `${counted(missing_fields, "missing field")} filled as in training` : "",
    unknown_words > 0 ? `${counted(unknown_words, "word")} that training did not see, taken as 0` : "",
    weighted_by ? `each row counts as often as ${weighted_by} says` : "",
    unweighted ? `each row counts once, where training had weights by ${unweighted}` : ""].filter((part) => part !== "").join("; ") + ".";
}

/** So many classes have a matrix that can be read, and curves. */
const most_drawn_classes = 20;

/**
 * What is taken for something else, most often first.
 * @param {ClassMeasures} measures
 */
export function confusions_of({classes, confusion}) {
  return confusion.flatMap((row, label) => row.map((count, said) =>
    ({label: classes[label].class, said: classes[said].class, count, right: label === said})))
    .filter(({count, right}) => count > 0 && !right).sort((a, b) => b.count - a.count);
}

/** @param {HTMLElement} parent @param {ClassMeasures} measures */
function list_confusions(parent, measures) {
  const shown = confusions_of(measures).slice(0, most_drawn_classes);
  parent.append(element("section", {id: "confusion"},
    element("p", {class: "note"}, `${measures.classes.length} classes are too many for a matrix and curves; ` +
      `these are the ${shown.length} most frequent confusions.`),
    table([{heading: "is", values: shown.map(({label}) => label)}, {heading: "said to be", values: shown.map(({said}) => said)},
      {heading: "rows", values: shown.map(({count}) => count)}], "What is taken for what")));
}

/** @param {HTMLElement} parent @param {ClassMeasures} measures */
function draw_confusion(parent, {classes, confusion}) {
  const names = classes.map((one) => one.class);
  const share = (/** @type {number} */ label, /** @type {number} */ said) => {
    const all = confusion[label].reduce((sum, count) => sum + count, 0);
    return all > 0 ? confusion[label][said] / all : 0;
  };
  heat_map(parent, {
    id: "confusion", title: "What is taken for what", names: true,
    note: "Each row is a class, its cells are what its rows were said to be. What is off the diagonal is wrong.",
    columns: names, rows: names, column_label: "said to be", row_label: "is",
    cell: (row, column) => (confusion[row][column] === 0 ? null : {
      text: `${amount(confusion[row][column])}\n${share_text(share(row, column))}`, strength: share(row, column),
      name: `${amount(confusion[row][column])} that are ${names[row]} are said to be ${names[column]}: ${share_text(share(row, column))} of them`,
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
/** The diagonal, also where an axis is logarithmic. */
const diagonal = Array.from({length: 201}, (_, at) => ({x: at / 200, y: at / 200}));

/** @param {HTMLElement} parent @param {NamedCurve[]} curves @param {ClassRow[]} classes */
function draw_ranking(parent, curves, classes) {
  const last = curves.length;
  line_chart(parent, {
    id: "roc", title: "Found, for false alarms (ROC)", include: unit_square,
    note: "From strict to lenient: up is good, and the diagonal is chance. The areas under the curves are in the table below.",
    series: () => [...curves.map(({name, curve}) => ({name, plain: true, points: points(curve.false_positive_rate, curve.recall)})),
      {name: "by chance", style: last, unmarked: true, points: diagonal}],
    x: () => ({label: "of the others, said to be of the class"}), y: () => ({label: "of the class, found (recall)"}),
  });
  const [only] = curves.length === 1 ? classes.filter((one) => one.class === curves[0].name) : [];
  const all = classes.reduce((sum, {rows}) => sum + rows, 0);
  line_chart(parent, {
    id: "precision-recall", title: "Right, for found (precision and recall)", include: unit_square,
    note: "From strict, at the left, to lenient. Where a class is rare this says more than the curve above.",
    series: () => curves.map(({name, curve}) => ({name, plain: true, steps: "before", points: points([0, ...curve.recall.slice(1)], [curve.precision[1], ...curve.precision.slice(1)])})),
    x: () => ({label: "of the class, found (recall)"}), y: () => ({label: "right of those said to be of it (precision)"}),
    level: () => (only ? {y: only.rows / all, label: `all rows said to be ${only.class}`} : null),
  });
}

/**
 * What holds at each threshold: between two values of rows what holds at the larger one. Above the
 * largest no row is said to be of the class, which has no precision; below the smallest all are.
 * @param {RankingCurve} curve @param {boolean} probabilities and so from 0 to 1
 */
export function threshold_points(curve, probabilities) {
  const last = curve.threshold.length - 1;
  const of = (/** @type {number[]} */ values, /** @type {boolean} */ is_defined_above) => {
    const line = curve.threshold.slice(1).map((x, at) => ({x, y: values[at + 1]}));
    if (probabilities && is_defined_above && Number(curve.threshold[1]) < 1) line.unshift({x: 1, y: 0});
    if (probabilities && Number(curve.threshold[last]) > 0) line.push({x: 0, y: values[last]});
    return {plain: true, steps: /** @type {"after"} */ ("after"), points: line};
  };
  return {recall: of(curve.recall, true), precision: of(curve.precision, false),
    false_positive_rate: of(curve.false_positive_rate, true)};
}

/** @param {HTMLElement} parent @param {NamedCurve} named @param {boolean} probabilities */
function draw_thresholds(parent, {name, curve}, probabilities) {
  const of = threshold_points(curve, probabilities);
  line_chart(parent, {
    id: "threshold", title: `Where to say ${name}`, include: {x: probabilities ? [0, 1] : [], y: [0, 1]},
    note: `A row is said to be ${name} where ${probabilities ? "its probability" : "the prediction"} is at least the threshold; ` +
      "a lower one misses fewer, and raises more false alarms.",
    series: () => [{name: "recall", ...of.recall}, {name: "precision", ...of.precision}, {name: "false positive rate", ...of.false_positive_rate}],
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
      {name: "as often as said", style: 1, unmarked: true, points: diagonal}],
    x: () => ({label: "mean probability"}), y: () => ({label: `share that is ${name}`}),
  });
}

/** @param {HTMLElement} parent @param {ClassMeasures} measures */
function draw_classes(parent, measures) {
  const {classes, calibration} = measures;
  if (classes.length > most_drawn_classes) {
    list_confusions(parent, measures);
  } else {
    draw_confusion(parent, measures);
  }
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
