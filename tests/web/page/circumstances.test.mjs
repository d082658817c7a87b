import "./curve_figures_here.mjs";

import assert from "node:assert/strict";
import { test } from "node:test";

import { by_circumstances, without_repeats } from "../../../src/web/page/circumstances.js";

const group = (name, circumstances) => ({name, runs: [{circumstances}]});
const parts_of = (groups) => by_circumstances(groups).map(({text, groups: own}) => [text, own.map(({name}) => name)]);

test("groups are told apart by what differs of what they found", () => {
  const slow = {latency: "1ms", racks: "1"}, fast = {latency: "0us", racks: "1"};
  assert.deepEqual(parts_of([group("a", slow), group("b", fast), group("c", slow), group("alone", {})]),
    [["latency 1 ms", ["a", "c", "alone"]], ["latency 0 µs", ["b", "alone"]]]);
  assert.deepEqual(parts_of([group("a", slow), group("alone", {})]), [["", ["a", "alone"]]]);
});

test("of runs without them, from an older version, all found the same", () => {
  assert.deepEqual(parts_of([group("a", undefined), group("b", undefined)]), [["", ["a", "b"]]]);
});

test("what a scheme does not take makes no contestant of it", () => {
  const at = (label, topology, not_taken) => ({name: `${label}, topology ${topology}`, runs: [{label, varied: {topology}, not_taken}]});
  const groups = [at("ring", "ring", ["topology"]), at("ring", "full", ["topology"]), at("gossip", "ring", []), at("gossip", "full", undefined)];
  assert.deepEqual(without_repeats(groups).map(({name}) => name), ["ring", "gossip, topology ring", "gossip, topology full"]);
});
