import assert from "node:assert/strict";
import test from "node:test";

import "./d3_here.mjs";
import { bit_rate, duration, percent } from "../../../src/web/page/format.js";
import { scale_over, ticks_at, ticks_beside, ticks_of, upright_ticks } from "../../../src/web/page/axes.js";

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

const log_ticks = (low, high, count) => ticks_of(scale_over([low, high], [0, 1], true), count, true).values;

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

test("the place in the list, which d3 gives as well, is no number of digits", () => {
  assert.deepEqual(ticks_of(scale_over([0, 1], [0, 1], false), 2, false, (value, digits) => `${value} ${digits}`).texts,
    ["0 undefined", "0.5 undefined", "1 undefined"]);
});

const texts = (low, high, count, format, log = false) => ticks_of(scale_over([low, high], [0, 1], log), count, log, format).texts;

test("ticks of times are round in the unit that they are written in", () => {
  assert.deepEqual(texts(0, 1000, 4, duration), ["0 min", "5 min", "10 min", "15 min"]);
  assert.deepEqual(texts(0, 40_000, 5, duration), ["0 h", "2 h", "4 h", "6 h", "8 h", "10 h"]);
  assert.deepEqual(texts(0, 1.5, 3, duration), ["0 s", "0.5 s", "1 s", "1.5 s"]);
  assert.deepEqual(texts(1, 20_000, 8, duration, true), ["1 s", "10 s", "1 min", "10 min", "1 h"]);
  assert.deepEqual(texts(10, 7200, 8, duration, true), ["10 s", "30 s", "1 min", "3 min", "10 min", "30 min", "1 h"]);
});

test("steps between moments are those of clocks", () => {
  assert.deepEqual(texts(0, 9000, 4, duration), ["0 h", "0.5 h", "1 h", "1.5 h", "2 h", "2.5 h"]);
  assert.deepEqual(texts(0, 7000, 3, duration), ["0 min", "30 min", "60 min", "90 min"]);
  assert.deepEqual(texts(0, 7000, 5, duration), ["0 min", "20 min", "40 min", "60 min", "80 min", "100 min"]);
});

test("the last word, which is moved back into the drawing, has room as well", () => {
  const {values, texts: words} = ticks_beside(scale_over([0, 0.2], [64, 274], false), 5, false, duration);
  const middles = values.map((value, at) => Math.min(64 + (210 * value) / 0.2, 284 - 3.4 * words[at].length));
  middles.slice(1).forEach((middle, at) => assert.ok(middle - middles[at] >= 3.4 * (words[at].length + words[at + 1].length) + 6, words.join()));
});

test("numbers of workers have ticks where they are, as long as these have room", () => {
  const scale = scale_over([4, 8, 16], [0, 200], true);
  assert.deepEqual(ticks_at(scale, {label: "workers", at: [16, 4, 8, 8]}), {values: [4, 8, 16], texts: ["4", "8", "16"]});
  assert.deepEqual(ticks_at(scale, {label: "workers", at: [4, 8, 32]}).values, [4, 8]);
  assert.equal(ticks_at(scale, {label: "workers", at: Array.from({length: 12}, (_, at) => at + 4)}), null);
  assert.equal(ticks_at(scale, {label: "workers"}), null);
});

test("no two ticks look alike, however late they are or however close", () => {
  assert.deepEqual(texts(100_000, 100_012, 3, duration), ["100000 s", "100005 s", "100010 s"]);
  assert.deepEqual(texts(0.87, 0.881, 5, percent), ["87 %", "87.2 %", "87.4 %", "87.6 %", "87.8 %", "88 %"]);
  assert.deepEqual(texts(1e9, 1.0002e9, 2, bit_rate), ["1 Gbit/s", "1.0001 Gbit/s", "1.0002 Gbit/s"]);
  assert.deepEqual(texts(12345.6, 12345.9, 3, undefined), ["12345.6", "12345.7", "12345.8", "12345.9"]);
});

test("words that have no room beside each other are fewer", () => {
  const scale = scale_over([100_000, 100_012], [0, 200], false);
  assert.deepEqual(ticks_beside(scale, 12, false, duration).texts, ["100000 s", "100005 s", "100010 s"]);
});

test("an upright axis says how wide its words are", () => {
  const {ticks, wide} = upright_ticks(scale_over([0, 500], [400, 0], false), 400, {label: "time", format: duration});
  assert.ok(ticks.texts.includes("8 min"));
  assert.ok(wide > 5 * 6 && wide < 80, String(wide));
});
