import assert from "node:assert/strict";
import test from "node:test";

import { cell_name, dots_of, spans_decades } from "../../../src/web/page/published_page.js";

const cell = (row, column, published, ours) => ({row, column, published, ours});

test("a dot is named by what its table has several of", () => {
  assert.equal(cell_name({rows: ["Daly"], columns: ["24h", "6h"]}, cell("Daly", "24h")), "24h");
  assert.equal(cell_name({rows: ["ring", "tree"], columns: ["time"]}, cell("tree", "time")), "tree");
  assert.equal(cell_name({rows: ["ring", "tree"], columns: ["2", "4"]}, cell("tree", "4")), "tree, 4");
});

test("theirs and ours stand on one row, and what is not printed is left out", () => {
  const of = {rows: ["Daly", "exact"], columns: ["24h"], cells: [cell("Daly", "24h", "117", 116.7), cell("exact", "24h", null, null)]};
  assert.deepEqual(dots_of(of), [{name: "Daly", values: [117, 116.7]}, {name: "exact", values: [null, null]}]);
});

test("an axis is logarithmic where values are far apart and above 0", () => {
  assert.equal(spans_decades([1, null, 30]), true);
  assert.equal(spans_decades([1, 15]), false);
  assert.equal(spans_decades([-1, 100]), false);
  assert.equal(spans_decades([]), false);
});
