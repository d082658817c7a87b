import "./d3_here.mjs";

import assert from "node:assert/strict";
import test from "node:test";

import { advice_cell_words, winners_of } from "../../../src/web/page/advice_page.js";

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
