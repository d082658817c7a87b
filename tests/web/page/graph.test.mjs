import assert from "node:assert/strict";
import test from "node:test";

import { edge_way, graph_spots, spot_on } from "../../../src/web/page/graph.js";

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);
const nodes = (workers, servers) => Array.from({length: workers + servers}, (_, at) => ({name: String(at), server: at >= workers}));

test("workers stand on a circle, the first at its top, the next one clockwise", () => {
  const {spots} = graph_spots(nodes(4, 0), 400);
  near(spots[0].x, 200);
  assert.ok(spots[0].y < 100);
  assert.ok(spots[1].x > 300);
  for (const {x, y} of spots) near(Math.hypot(x - 200, y - 200), 174);
});

test("one server is in the middle, several are around it, within the workers", () => {
  const one = graph_spots(nodes(4, 1), 400).spots[4];
  near(one.x, 200);
  near(one.y, 200);
  const two = graph_spots(nodes(4, 2), 400).spots;
  near(Math.hypot(two[4].x - two[5].x, two[4].y - two[5].y), 2 * 0.3 * 174);
});

test("nodes of a crowd are small enough to stand apart", () => {
  const {spots, radius} = graph_spots(nodes(100, 0), 400);
  assert.ok(2 * radius < Math.hypot(spots[0].x - spots[1].x, spots[0].y - spots[1].y));
  assert.equal(graph_spots(nodes(4, 0), 400).radius, 14);
});

test("an edge ends at the rims of its nodes", () => {
  const way = edge_way({x: 0, y: 0}, {x: 100, y: 0}, 10, false);
  assert.deepEqual([way.from, way.to], [{x: 11, y: 0}, {x: 88, y: 0}]);
});

test("there and back are two ways", () => {
  const there = edge_way({x: 0, y: 0}, {x: 100, y: 0}, 10, true), back = edge_way({x: 100, y: 0}, {x: 0, y: 0}, 10, true);
  assert.ok(there.middle.y > 0 && back.middle.y < 0);
});

test("spot_on: from one end to the other", () => {
  const way = {from: {x: 0, y: 0}, middle: {x: 50, y: 20}, to: {x: 100, y: 0}};
  assert.deepEqual([0, 0.5, 1].map((share) => spot_on(way, share)), [{x: 0, y: 0}, {x: 50, y: 10}, {x: 100, y: 0}]);
});
