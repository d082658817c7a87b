import assert from "node:assert/strict";
import test from "node:test";

import { csv_text } from "../../../src/web/page/save.js";
import { cell_text, compare_cells } from "../../../src/web/page/table.js";

test("csv_text: a heading, then a line a row, with all digits", () => {
  assert.equal(csv_text([{heading: "name", values: ["a,b", "c"]}, {heading: "x", values: [0.1234567890123, null]}]),
    'name,x\n"a,b",0.1234567890123\nc,\n');
});

test("csv_text: columns of different length are filled up", () => {
  assert.equal(csv_text([{heading: "a", values: [1]}, {heading: "b", values: [1, 2]}]), "a,b\n1,1\n,2\n");
  assert.equal(csv_text([]), "\n");
});

test("cell_text: what is missing is a dash, a count has all its digits", () => {
  assert.equal(cell_text(null), "–");
  assert.equal(cell_text(undefined), "–");
  assert.equal(cell_text(1048576), "1048576");
  assert.equal(cell_text(0.123456789), "0.123457");
  assert.equal(cell_text(true), "true");
});

test("compare_cells: numbers by size, words by alphabet, what is missing last", () => {
  assert.deepEqual([10, null, 9, 100].sort(compare_cells), [9, 10, 100, null]);
  assert.deepEqual(["ring", null, "Gossip"].sort(compare_cells), ["Gossip", "ring", null]);
  assert.equal(compare_cells(null, undefined), 0);
});
