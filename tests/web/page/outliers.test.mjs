import "./d3_here.mjs";
import "./curve_figures_here.mjs";

import assert from "node:assert/strict";
import test from "node:test";

import { fitting } from "../../../src/web/page/bar_chart.js";
import { cut_of, leaving } from "../../../src/web/page/outliers.js";
import { end_of } from "../../../src/web/page/small_multiples.js";

const curve = (name, ...ys) => ({name, points: ys.map((y, x) => ({x, y}))});

test("one that climbs far above where all began is cut, and the axis shows the others", () => {
  const cut = cut_of([curve("good", 0.7, 0.4), curve("better", 0.7, 0.36), curve("lost", 0.7, 5, 866, 9)]);
  assert.deepEqual([...cut.names], [["lost", 866]]);
  assert.ok(cut.high > 0.7 && cut.high < 0.75, String(cut.high));
});

test("one that climbs a little is in the picture, and so are all where most climb", () => {
  assert.equal(cut_of([curve("good", 0.7, 0.36), curve("bad", 0.7, 1.5)]), null);
  assert.equal(cut_of([curve("good", 0.7, 0.4), curve("a", 0.7, 9), curve("b", 0.7, 9)]), null);
  assert.equal(cut_of([curve("alone", 0.7, 0.4, 9)]), null);
  // Where nothing went down there is no measure of far.
  assert.equal(cut_of([curve("a", 0.7, 0.7), curve("b", 0.7, 9), curve("c", 0.7, 0.7)]), null);
});

test("a curve that stays below the cut keeps its highest point", () => {
  assert.equal(cut_of([curve("good", 0.7, 0.4), curve("back", 0.7, 1.2, 0.5), curve("lost", 0.7, 866)]).high, 1.2);
});

test("a mark stands where the line crosses the edge", () => {
  assert.equal(leaving([{x: 0, y: 0}, {x: 2, y: 10}], 5), 1);
  assert.equal(leaving([{x: 3, y: 9}], 5), 3);
  assert.equal(leaving([{x: 0, y: 1}, {x: 1, y: 2}], 5), null);
});

test("an axis ends before the few that go on for more than twice as long", () => {
  assert.equal(end_of([...Array(18).fill(1), 1.5, 8]), 1);
  assert.equal(end_of([...Array(18).fill(1), 1.5, 1.9]), 1.9);
  assert.equal(end_of([1, 8]), 8);
});

test("a name too long for its place ends in dots", () => {
  assert.equal(fitting("gossip", 100), "gossip");
  assert.equal(fitting("gossip{topology=torus}", 68), "gossip{to…");
});
