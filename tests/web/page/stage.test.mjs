import "./d3_here.mjs";

import assert from "node:assert/strict";
import test from "node:test";

import { duration } from "../../../src/web/page/format.js";
import { fits, held_span, stepped, widest } from "../../../src/web/page/stage.js";

test("an axis ends at a step of 1, 2 or 5, of which it has six or so", () => {
  assert.deepEqual(stepped([0, 5.98], false), [0, 6]);
  assert.deepEqual(stepped([0, 0.7014], false), [0, 0.8]);
  assert.deepEqual(stepped([0.3108, 0.693], false), [0.3, 0.7]);
  assert.deepEqual(stepped([-0.5, 11.9], false), [-5, 15]);
});

test("a logarithmic axis ends at 1, 2, 3 or 5 times a power of ten", () => {
  assert.deepEqual(stepped([0.0064, 1.9], true), [0.005, 2]);
  assert.deepEqual(stepped([3.5e-6, 2.5], true), [3e-6, 3]);
});

test("moments are stepped in the unit that they are written in", () => {
  assert.deepEqual(stepped([0, 640], false, duration), [0, 12 * 60]);
});

test("an axis holds still while what it shows is within it, and grows in steps", () => {
  const held = held_span(null, [0, 5.98], false);
  assert.deepEqual(held, [0, 6]);
  assert.equal(held_span(held, [0, 0.7], false), held);
  assert.deepEqual(held_span(held, [0, 6.1], false), [0, 8]);
  assert.deepEqual(held_span([0.3, 0.7], [0.25, 0.69], false), [0.2, 0.7]);
  assert.deepEqual(held_span([0.005, 2], [0.001, 2], true), [0.001, 2]);
});

test("an axis on which nothing could be told apart any more is fitted again", () => {
  assert.deepEqual(held_span([0, 1e8], [0, 4], false), [0, 4]);
  const narrow = 10 / (widest - 1);
  assert.deepEqual(held_span([0, 10], [0, narrow], false), [0, 10]);
});

test("whether an axis is the curves' own", () => {
  assert.ok(fits([0, 6], [0, 5.98], false));
  assert.ok(!fits([0, 12], [0, 5.98], false));
  assert.ok(fits(null, [0, 5.98], false));
});
