import assert from "node:assert/strict";
import test from "node:test";

import "./d3_here.mjs";
import { scale_over, tick_text, ticks_of } from "../../../src/web/page/axes.js";

test("scale_over: from the least value to the largest", () => {
  const scale = scale_over([3, 1, 2], [0, 100], false);
  assert.deepEqual([scale(1), scale(2), scale(3)], [0, 50, 100]);
});

test("scale_over: on a logarithmic axis only what is above zero counts", () => {
  const scale = scale_over([-5, 0, 1, 100], [0, 100], true);
  assert.deepEqual(scale.domain(), [1, 100]);
  assert.ok(Math.abs(scale(10) - 50) < 1e-9);
});

test("scale_over: a single value is in the middle", () => {
  assert.equal(scale_over([8], [0, 100], false)(8), 50);
  assert.ok(Math.abs(scale_over([8], [0, 100], true)(8) - 50) < 1e-9);
  assert.equal(scale_over([0], [0, 100], false)(0), 50);
});

test("scale_over: without values there still is a scale", () => {
  assert.deepEqual(scale_over([], [0, 100], false).domain(), [0, 1]);
  assert.deepEqual(scale_over([-1], [0, 100], true).domain(), [0.1, 1]);
});

const log_ticks = (low, high, count) => ticks_of(scale_over([low, high], [0, 1], true), count, true);

test("ticks_of: powers of ten, fewer of them where they have no room", () => {
  assert.deepEqual(log_ticks(1e-5, 1e-2, 4), [1e-5, 1e-4, 1e-3, 1e-2]);
  assert.deepEqual(log_ticks(1, 1e8, 4), [1, 1e3, 1e6]);
});

test("ticks_of: between powers of ten where there are few", () => {
  assert.deepEqual(log_ticks(2, 64, 8), [2, 5, 10, 20, 50]);
  assert.deepEqual(log_ticks(2, 64, 3), [3, 10, 30]);
});

test("ticks_of: two at least, also where there is little room", () => {
  assert.deepEqual(log_ticks(1e9, 6.2e11, 2), [1e9, 1e11]);
  assert.deepEqual(log_ticks(2, 77, 2), [3, 30]);
});

test("ticks_of: within less than a power of ten, what a linear axis has", () => {
  assert.deepEqual(log_ticks(1, 3, 4), [1, 1.5, 2, 2.5, 3]);
});

test("tick_text: the place in the list, which d3 gives as well, is no number of digits", () => {
  assert.deepEqual([1234.5, 0.25].map(tick_text(undefined)), ["1235", "0.25"]);
  assert.deepEqual([1, 2].map(tick_text((value) => `${value} s`)), ["1 s", "2 s"]);
});
