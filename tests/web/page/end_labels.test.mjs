import assert from "node:assert/strict";
import test from "node:test";

import { letter_width } from "../../../src/web/page/axes.js";
import { coinciding, place_labels, room_for_labels } from "../../../src/web/page/end_labels.js";

const box = {left: 60, right: 900, top: 24, bottom: 360};
const curve = (name, ...spots) => ({name, spots: spots.map(([x, y]) => ({x, y}))});
const overlap = (a, b) => Math.abs(a.y - b.y) < 14 && a.x < b.x + b.name.length * letter_width && b.x < a.x + a.name.length * letter_width;

test("a name stands beside the end of its curve", () => {
  const [label] = place_labels([curve("ring", [60, 30], [300, 200], [700, 250])], box);
  assert.ok(label.x > 700 && label.x < 720, String(label.x));
  assert.equal(label.y, 250);
});

test("names avoid each other, and stay within the drawing", () => {
  const curves = ["ring", "gossip", "ps-sync", "ps-async{lr=0.125}", "ad-psgd"].map((name, at) => curve(name, [60, 30], [860, 350 + at]));
  const labels = place_labels(curves, box);
  assert.equal(labels.length, 5);
  labels.forEach((one, at) => {
    assert.ok(one.x >= box.left && one.x + one.name.length * letter_width <= box.right + 0.001, one.name);
    assert.ok(one.y >= box.top && one.y <= box.bottom, one.name);
    for (const other of labels.slice(at + 1)) assert.ok(!overlap(one, other), `${one.name} on ${other.name}`);
  });
});

test("a name does not lie on another's curve where there is room beside it", () => {
  const [label] = place_labels([curve("early", [60, 30], [200, 300]), curve("late", [60, 30], [70, 300], [700, 300])], box).filter(({name}) => name === "early");
  assert.ok(Math.abs(label.y - 300) >= 8, String(label.y));
});

test("a curve without points has no name in the picture", () => {
  assert.deepEqual(place_labels([curve("none")], box), []);
});

test("curves that lie on each other are named together", () => {
  const a = curve("a", [0, 0], [100, 100], [200, 100]), b = curve("b", [0, 1], [50, 51], [100, 101], [202, 100]), c = curve("c", [0, 0], [100, 110], [200, 100]);
  assert.deepEqual(coinciding([a, b, c]), [["a", "b"]]);
  assert.deepEqual(coinciding([a, c]), []);
  // One that ends early lies on part of another only.
  assert.deepEqual(coinciding([a, curve("short", [0, 0], [100, 100])]), []);
});

test("where there is no room, or too many curves, the legend has the names", () => {
  assert.equal(room_for_labels(["a", "b"], 400), 0);
  assert.equal(room_for_labels(["a"], 900), 0);
  assert.equal(room_for_labels(Array.from({length: 11}, (_, at) => `c${at}`), 900), 0);
  assert.ok(room_for_labels(["ring", "gossip"], 900) > 6 * letter_width);
});
