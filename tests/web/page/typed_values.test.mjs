import assert from "node:assert/strict";
import test from "node:test";

import { as_read, axis_of_texts } from "../../../src/web/page/typed_values.js";

test("durations are seconds", () => {
  const axis = axis_of_texts(["10us", "1.5ms", "2 s"]);
  assert.deepEqual(axis.values.map((value) => Number(value.toPrecision(12))), [1e-5, 1.5e-3, 2]);
  assert.equal(axis.format(0.001), "1 ms");
  assert.equal(axis.log, true);
});

test("bandwidths are bits a second, also those in bytes", () => {
  const axis = axis_of_texts(["1Mbps", "1MB/s", "1KiB/s"]);
  assert.deepEqual(axis.values, [1e6, 8e6, 8192]);
  assert.equal(axis.format(1e9), "1 Gbit/s");
});

test("numbers and sizes", () => {
  assert.deepEqual(axis_of_texts(["2", "1e-3", ".5"]).values, [2, 0.001, 0.5]);
  assert.deepEqual(axis_of_texts(["1kB", "1KiB"]).values, [1000, 1024]);
});

test("a zero needs no unit, and has no place on a logarithmic axis", () => {
  const axis = axis_of_texts(["0", "1ms"]);
  assert.deepEqual(axis.values, [0, 1e-3]);
  assert.equal(axis.log, false);
});

test("what is no number has its place in the list", () => {
  for (const texts of [["fp16", "sign"], ["infinite", "1Gbps"], ["1ms", "1Gbps"]]) {
    const axis = axis_of_texts(texts);
    assert.deepEqual(axis.values, [0, 1]);
    assert.deepEqual([axis.format(0), axis.format(1), axis.format(0.5)], [...texts, ""]);
    assert.equal(axis.log, false);
  }
});

test("a value as people read it has the number that was typed", () => {
  assert.deepEqual(["10us", "1Mbps", "0.5 ms", "1MiB", "4kB", "2s"].map(as_read), ["10 µs", "1 Mbit/s", "0.5 ms", "1 MiB", "4 kB", "2 s"]);
  for (const text of ["8", "0:10", "ring", "10 %", "none", "3 parsecs", "mlp:16,16"]) assert.equal(as_read(text), text);
});
