import assert from "node:assert/strict";
import test from "node:test";

import { cell_after, lines_that_fit } from "../../../src/web/page/heat_map.js";
import { cell_place, cell_words, cells_won, contestant_letter, lacking_words, lead_strength, lead_text, lead_words, map_method,
  map_sentences, map_target, widest_lead } from "../../../src/web/page/map_page.js";

/** Two by two: a wins twice, b once, alone; in the last cell nobody. */
const map = {
  target_loss: 0.34, target_accuracy: null, target_gradient: null,
  across: {option: "latency", values: ["10us", "1ms"]},
  down: {option: "bandwidth", values: ["1Mbps", "1Gbps"]},
  contestants: [{label: "a", lr: 1, predicted: true}, {label: "b", lr: 1, predicted: false}, {label: "c", lr: 1, predicted: true}],
  cells: [
    {first: "a", ahead: 2, seconds_to_target: [1, 2, 3]},
    {first: "a", ahead: 3.5, seconds_to_target: [1, 3.5, null]},
    {first: "b", ahead: null, seconds_to_target: [null, 5, null]},
    {first: null, ahead: null, seconds_to_target: [null, null, null]},
  ],
};

test("letters go on after Z", () => {
  assert.deepEqual([0, 25, 26, 53].map(contestant_letter), ["A", "Z", "A1", "B2"]);
});

test("a map says who is first where, who never, and where nobody is", () => {
  assert.deepEqual(cells_won(map), [2, 1, 0]);
  assert.deepEqual(map_sentences(map), [
    "a is the first to reach a training loss of 0.34 in 2 of 4 cells, b in 1.",
    "Nowhere first: c.",
    "In 1 cell nobody reaches it.",
    "The largest lead is at latency 1 ms, bandwidth 1 Mbit/s: there a is 3.50 times as fast as the next.",
  ]);
});

test("an interrupted map says who is first nowhere", () => {
  const [only, ...others] = map_sentences({...map, interrupted: true});
  assert.match(only, /^It was interrupted .* nobody can say who is first in it\.$/);
  assert.deepEqual(others, []);
});

test("a map where nobody arrives says no more than that", () => {
  const cells = [{first: null, ahead: null, seconds_to_target: [null, null, null]}];
  assert.deepEqual(map_sentences({...map, cells}), ["Nobody reaches a training loss of 0.34 in any cell."]);
  assert.equal(widest_lead({...map, cells}), -1);
});

test("the target is what was asked for", () => {
  assert.equal(map_target({...map, target_loss: null, target_accuracy: 0.9}), "an accuracy of 0.9");
  assert.equal(map_target({...map, target_loss: null, target_gradient: 0.01}), "a squared gradient norm of 0.01");
});

test("a cell in words: its place, who, when and by how much", () => {
  assert.equal(cell_place(map, 2), "latency 10 µs, bandwidth 1 Gbit/s");
  assert.equal(cell_words(map, 1), "latency 1 ms, bandwidth 1 Mbit/s: a first, after 1 s, 3.50 times as fast as the next");
  assert.equal(cell_words(map, 2), "latency 10 µs, bandwidth 1 Gbit/s: b first, after 5 s, alone");
  assert.equal(cell_words(map, 3), "latency 1 ms, bandwidth 1 Gbit/s: nobody reaches the target");
});

test("who could not be told apart is not called faster", () => {
  assert.deepEqual([1, 1.004, 1.01].map((ahead) => lead_words(ahead)), ["as fast as the next", "as fast as the next", "1.01 times as fast as the next"]);
});

test("leads close to 1 keep their digits; the largest is the strongest colour", () => {
  assert.deepEqual([1.009, 3.968, 12.34].map(lead_text), ["1.01", "3.97", "12.3"]);
  assert.deepEqual([lead_strength(1, 4), lead_strength(2, 4), lead_strength(4, 4)], [0, 0.5, 1]);
  assert.equal(lead_strength(null, 4), 1);
  assert.equal(lead_strength(1, 1), 0);
});

test("who does not arrive in a row is said", () => {
  assert.equal(lacking_words(map, 0), "c does not reach the target at latency 1 ms.");
  assert.equal(lacking_words(map, 1), "a does not reach the target anywhere in this row. " +
    "b does not reach the target at latency 1 ms. c does not reach the target anywhere in this row.");
});

test("who was predicted and who ran", () => {
  assert.equal(map_method(map), "Predicted in each cell, from the steps of one run and what a step takes there: a, c. Run in each cell: b.");
});

test("arrow keys go to the next cell that has something, or nowhere", () => {
  const there = (row, column) => !(row === 0 && column === 1);
  const from = {row: 0, column: 0};
  assert.deepEqual(cell_after("ArrowRight", from, there, 2, 3), {row: 0, column: 2});
  assert.deepEqual(cell_after("ArrowDown", from, there, 2, 3), {row: 1, column: 0});
  assert.deepEqual(cell_after("End", from, there, 2, 3), {row: 0, column: 2});
  assert.deepEqual(cell_after("Home", {row: 0, column: 2}, there, 2, 3), {row: 0, column: 0});
  assert.equal(cell_after("ArrowUp", from, there, 2, 3), null);
  assert.equal(cell_after("ArrowLeft", from, there, 2, 3), null);
  assert.equal(cell_after("a", from, there, 2, 3), null);
});

test("a cell shows as many lines as have room", () => {
  assert.deepEqual(lines_that_fit("A\n1.01", 60, 40), ["A", "1.01"]);
  assert.deepEqual(lines_that_fit("A\n1.01", 60, 20), ["A"]);
  assert.deepEqual(lines_that_fit("A\n1.01", 20, 40), ["A"]);
  assert.deepEqual(lines_that_fit("A\n1.01", 8, 40), []);
});
