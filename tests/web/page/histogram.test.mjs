import "./d3_here.mjs";

import assert from "node:assert/strict";
import test from "node:test";

import { bin_width, bins_of } from "../../../src/web/page/histogram.js";

test("bins are of 1, 2, 5 or 10 numbers, as few as there is room for", () => {
  assert.deepEqual([0, 59, 60, 119, 120, 599].map((largest) => bin_width(largest, 60)), [1, 1, 2, 2, 5, 10]);
});

test("a bin has the counts of its numbers, and their share of all", () => {
  const series = {name: "ssp", values: [0, 1, 2, 7], counts: [4, 2, 0, 2]};
  assert.deepEqual(bins_of(series, 1), [{from: 0, count: 4, share: 0.5}, {from: 1, count: 2, share: 0.25}, {from: 7, count: 2, share: 0.25}]);
  assert.deepEqual(bins_of(series, 5), [{from: 0, count: 6, share: 0.75}, {from: 5, count: 2, share: 0.25}]);
});
