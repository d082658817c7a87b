import assert from "node:assert/strict";
import test from "node:test";

import { bit_rate, bytes, counted, csv_field, duration, moment_format, percent, significant, times, unit_of_moments } from "../../../src/web/page/format.js";

test("significant: four digits, without zeros that say nothing", () => {
  assert.equal(significant(0), "0");
  assert.equal(significant(0.33333333), "0.3333");
  assert.equal(significant(1500), "1500");
  assert.equal(significant(0.5), "0.5");
  assert.equal(significant(123456, 6), "123456");
  assert.equal(significant(-2.5), "-2.5");
});

test("significant: very large and very small numbers have an exponent", () => {
  assert.equal(significant(2.5e9), "2.5e+9");
  assert.equal(significant(1e7), "1e+7");
  assert.equal(significant(0.00001234), "1.234e-5");
});

test("significant: what is no number is said as it is", () => {
  assert.equal(significant(Infinity), "Infinity");
  assert.equal(significant(NaN), "NaN");
});

test("duration: in the unit people would use", () => {
  assert.deepEqual([0, 1.5e-9, 2.5e-5, 0.0171, 1.5, 119, 120, 7200].map((value) => duration(value)),
    ["0 s", "1.5 ns", "25 µs", "17.1 ms", "1.5 s", "119 s", "2 min", "2 h"]);
});

test("units: what rounds up to the next unit is written in it", () => {
  assert.equal(duration(0.00099999999), "1 ms");
  assert.equal(duration(9.999999999999999e-5), "100 µs");
  assert.equal(bytes(999999.9), "1 MB");
});

test("bytes and rates: decimal units", () => {
  assert.deepEqual([0, 5, 1048576, 2e12].map((value) => bytes(value)), ["0 B", "5 B", "1.049 MB", "2 TB"]);
  assert.deepEqual([100, 1e9, 2.5e12].map((value) => bit_rate(value)), ["100 bit/s", "1 Gbit/s", "2.5 Tbit/s"]);
});

test("shares and factors: two digits", () => {
  assert.deepEqual([0.66, 0.054, 1].map((value) => percent(value)), ["66 %", "5 %", "100 %"]);
  assert.deepEqual([1.84, 12.34].map((value) => times(value)), ["1.8 times", "12.3 times"]);
});

test("csv_field: quoted where it has to be", () => {
  assert.equal(csv_field('a "b", c'), '"a ""b"", c"');
  assert.equal(csv_field("two\nlines"), '"two\nlines"');
  assert.equal(csv_field(0.1), "0.1");
  assert.equal(csv_field(null), "");
});

test("units of moments: minutes and hours only where these are far apart", () => {
  const unit = (from, until) => unit_of_moments(from, until)[1];
  assert.deepEqual([unit(0, 5e-4), unit(0, 1.5), unit(0, 600), unit(0, 9000)], ["µs", "s", "min", "h"]);
  assert.deepEqual([unit(1e5, 1e5 + 12), unit(1e5, 1e5 + 300), unit(1e5, 2e5)], ["s", "min", "h"]);
});

test("moments: late ones have the digits that tell them apart", () => {
  assert.equal(moment_format(0, 14)(12.5), "12.5 s");
  assert.deepEqual([100_000.5, 100_000.505].map((value) => moment_format(100_000, 100_012.5)(value)), ["100000.5 s", "100000.505 s"]);
  assert.equal(moment_format(1, 1.0001)(1.00005), "1.00005 s");
});

test("counted things: one of them, and whole numbers with all their digits", () => {
  assert.equal(counted(1, "row"), "1 row");
  assert.equal(counted(32561, "row"), "32561 rows");
  assert.equal(counted(0.33333333, "round"), "0.3333 rounds");
});
