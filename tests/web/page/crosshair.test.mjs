import assert from "node:assert/strict";
import test from "node:test";

import { goes_right, height_at } from "../../../src/web/page/crosshair.js";

const spots = [{x: 0, y: 10}, {x: 10, y: 20}, {x: 30, y: 0}];

test("a curve is read on its line, and not where it is not", () => {
  const curve = {name: "ring", color: "", spots};
  assert.deepEqual([0, 5, 10, 20, 30].map((x) => height_at(curve, x)), [10, 15, 20, 10, 0]);
  assert.deepEqual([-1, 31].map((x) => height_at(curve, x)), [null, null]);
  assert.equal(height_at({...curve, spots: []}, 0), null);
});

test("a curve of steps is read on its steps", () => {
  assert.equal(height_at({name: "", color: "", spots, steps: "after"}, 5), 10);
  assert.equal(height_at({name: "", color: "", spots, steps: "before"}, 5), 20);
  assert.equal(height_at({name: "", color: "", spots, steps: "after"}, 30), 0);
});

test("a line that goes back is no function", () => {
  assert.ok(goes_right(spots));
  assert.ok(!goes_right([...spots, {x: 29, y: 0}]));
});
