import "./d3_here.mjs";

import assert from "node:assert/strict";
import test from "node:test";

import { advice_cell_words, passes_sentence, winners_of } from "../../../src/web/page/advice_page.js";

const map = {latencies_s: [1e-4, 1e-3], bandwidths_bytes_per_s: [125e3, 125e6], by_passes: false,
  cells: [{first: "ring", step_s: 2, ahead: 1.5}, {first: "tree", step_s: 3, ahead: 1.004}, {first: "tree", step_s: 1, ahead: 2}, {first: "tree", step_s: 1, ahead: 12}]};

test("who is first in most cells has the first letter", () => {
  assert.deepEqual(winners_of(map), [{name: "tree", won: 3}, {name: "ring", won: 1}]);
});

test("a cell says its links, and by how much who is first", () => {
  assert.equal(advice_cell_words(map, 0, 0), "latency 100 µs, bandwidth 1 Mbit/s: ring first, 1.50 times as fast as the next");
  assert.equal(advice_cell_words(map, 0, 1), "latency 1 ms, bandwidth 1 Mbit/s: tree first, as fast as the next");
  assert.equal(advice_cell_words(map, 1, 1), "latency 1 ms, bandwidth 1 Gbit/s: tree first, 12 times as fast as the next");
});

test("the passes are means over the seeds, and over more of who may be first", () => {
  const way = {label: "ring", step_size: 1, passes: 2, half_width: null, seconds: 1, unheard: false};
  const target = {what: "training loss 0.3", rows: 400, seeds: 3};
  assert.equal(passes_sentence({...target, ways: [{...way, seeds: 10}, {...way, seeds: 3}]}),
    "Passes over 400 rows, mean of 3 seeds (10 of who may be first), by the predicted rates.");
  assert.equal(passes_sentence({...target, ways: [{...way, seeds: 30}, {...way, seeds: 10}, {...way, seeds: 3}]}),
    "Passes over 400 rows, mean of 3 seeds (10 to 30 of who may be first), by the predicted rates.");
  assert.equal(passes_sentence({...target, ways: [{...way, seeds: 3}]}), "Passes over 400 rows, mean of 3 seeds, by the predicted rates.");
  assert.equal(passes_sentence({...target, ways: []}), "Passes over 400 rows, mean of 3 seeds, by the predicted rates.");
});
