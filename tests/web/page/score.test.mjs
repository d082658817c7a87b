import assert from "node:assert/strict";
import test from "node:test";

import { amount, confusions_of, score_sentences, score_setting, share_text, threshold_points } from "../../../src/web/page/score_page.js";

const one = (name, rows, predicted, precision, recall) => ({class: name, rows, predicted, precision, recall});

test("two classes: beside always saying the larger one", () => {
  const classes = [one("no", 80, 90, 0.85, 0.95), one("yes", 20, 10, 0.6, 0.3)];
  assert.deepEqual(score_sentences({measures: {accuracy: 0.825, classes}}), [
    "82.5 % of the rows are said to be what they are; who always says no is right in 80 %.",
    "30 % of those that are yes are found. Of those said to be yes, 60 % are yes.",
  ]);
});

test("a class that no row is said to be of", () => {
  const classes = [one("no", 80, 100, 0.8, 1), one("yes", 20, 0, 0, 0)];
  assert.equal(score_sentences({measures: {accuracy: 0.8, classes}})[1], "0 % of those that are yes are found. No row is said to be yes.");
});

test("of more classes the best and the worst; of one alone nothing but its share", () => {
  const three = (...recalls) => recalls.map((recall, at) => one("abc"[at], 10, 10, 0.5, recall));
  const second = (classes) => score_sentences({measures: {accuracy: 0.5, classes}})[1];
  assert.equal(second(three(0.5, 0.9, 0.1)), "90 % of those that are b are found, and 10 % of those that are c are found.");
  assert.equal(second(three(0.5, 0.5, 0.5)), "50 % of each class are found.");
  assert.equal(second([one("a", 10, 10, 1, 1), one("b", 0, 0, 0, 0)]), undefined);
  // A class that has no rows is not the worst.
  assert.equal(second([...three(0.5, 0.9), one("empty", 0, 1, 0, 0)]), "90 % of those that are b are found, and 50 % of those that are a are found.");
});

test("real labels, beside their mean", () => {
  const real = (r2) => score_sentences({measures: {loss: 2, rmse: 2, mae: 1.5, r2}});
  assert.deepEqual(real(0.75), ["A prediction is off by 1.5 in the mean (the root of the mean square is 2).",
    "The squared error is 25 % of that of the labels' mean."]);
  assert.equal(real(-0.1)[1], "The labels' mean would be as good a prediction, or better.");
  assert.equal(real(null)[1], "All labels are equal.");
});

test("rows without labels, and without predictions", () => {
  assert.deepEqual(score_sentences({measures: null, rows: 5, left_out: 0}), ["Labels are not there, or passed over, so nothing is measured."]);
  assert.deepEqual(score_sentences({measures: null, rows: 5, left_out: 5}), ["No row has a prediction, so nothing is measured."]);
});

test("nearly all is not all", () => {
  assert.deepEqual([1, 0, 0.5, 0.825, 0.99996, 0.0004, 0.9996].map(share_text),
    ["100 %", "0 %", "50 %", "82.5 %", "99.996 %", "0.04 %", "99.96 %"]);
});

test("rows are counted to the last one, weights are not", () => {
  assert.deepEqual([12345678, 172.669999, 5.65000001].map(amount), ["12345678", "172.67", "5.65"]);
});

test("between two thresholds holds what holds at the larger one", () => {
  const curve = {threshold: [null, 0.9, 0.4], recall: [0, 0.5, 1], false_positive_rate: [0, 0.25, 1], precision: [1, 0.8, 0.6]};
  const {recall, precision} = threshold_points(curve, true);
  assert.equal(recall.steps, "after");
  assert.deepEqual(recall.points, [{x: 1, y: 0}, {x: 0.9, y: 0.5}, {x: 0.4, y: 1}, {x: 0, y: 1}]);
  // Where no row is said to be of the class there is no precision.
  assert.deepEqual(precision.points, [{x: 0.9, y: 0.8}, {x: 0.4, y: 0.6}, {x: 0, y: 0.6}]);
  assert.deepEqual(threshold_points(curve, false).recall.points, [{x: 0.9, y: 0.5}, {x: 0.4, y: 1}]);
});

test("confusions by their number", () => {
  const classes = ["a", "b", "c"].map((name) => ({class: name}));
  const found = confusions_of({classes, confusion: [[9, 1, 0], [5, 9, 0], [0, 2, 9]]});
  assert.deepEqual(found.map(({label, said, count}) => [label, said, count]), [["b", "a", 5], ["c", "b", 2], ["a", "b", 1]]);
});

test("how the rows were taken", () => {
  const content = {model: "answer", file: "new.csv", rows: 600, measured: 600, left_out: 0, missing_fields: 0, unknown_words: 0,
    weighted_by: null, unweighted: null};
  assert.equal(score_setting(content), "The model of answer on 600 rows of new.csv.");
  assert.equal(score_setting({...content, measured: 590, left_out: 10, unknown_words: 1, weighted_by: "column 'w'"}),
    "The model of answer on 600 rows of new.csv; 590 measured; 10 rows without a prediction for missing fields; " +
    "1 word that training did not see, taken as 0; each row counts as often as column 'w' says.");
});
