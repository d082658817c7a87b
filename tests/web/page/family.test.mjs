import "./curve_figures_here.mjs";

import assert from "node:assert/strict";
import test from "node:test";

import { all_columns } from "../../../src/web/page/comparison_page.js";
import { groups_of } from "../../../src/web/page/curves.js";
import { bar_rows, facets_of, family_of, is_meant, marked_name } from "../../../src/web/page/family.js";

const run = (scheme, more = {}) => ({label: scheme, scheme, seed: 1, train_loss: 0.5, seconds_to_target: 2, model: {name: "logistic"}, ...more});
const many = (...schemes) => groups_of(schemes.map((scheme) => run(scheme)));

test("a scheme's family is the table's; one of one's own has none", () => {
  assert.deepEqual(["ring", "ps-async", "gossip", "mine"].map((scheme) => family_of(run(scheme))), ["synchronous", "asynchronous", "decentralised", "others"]);
  assert.equal(family_of(run("gossip", {label: "gossip:torus"})), "decentralised");
});

test("many schemes are told by family, in the table's order, and nobody is lost", () => {
  const own = Array.from({length: 7}, (_, at) => `mine-${at}`);
  const facets = facets_of(many("gossip", "ring", ...own, "ps-sync"));
  assert.deepEqual(facets.map(({name, groups}) => [name, groups.length]), [["synchronous", 2], ["decentralised", 1], ["others", 7]]);
});

test("few schemes at many settings are told by scheme", () => {
  const runs = ["ring", "gossip"].flatMap((scheme) => ["1ms", "2ms", "3ms"].map((latency) => run(scheme, {varied: {latency}})));
  assert.deepEqual(facets_of(groups_of(runs)).map(({name, groups}) => [name, groups.length]), [["ring", 3], ["gossip", 3]]);
});

test("of many rows each family has one, the mean over those that have the figure", () => {
  const seconds = {"ring": 1, "ps-sync": 3, "gossip": 8};
  const groups = many("ring", "ps-sync", "gossip");
  const values = ({name}) => [seconds[name], name === "ring" ? null : seconds[name]];
  assert.deepEqual(bar_rows(groups, 3, values).map(({name}) => name), ["ring", "ps-sync", "gossip"]);
  assert.deepEqual(bar_rows(groups, 2, values), [{name: "synchronous, mean of 2", values: [2, 3]}, {name: "gossip", values: [8, 8]}]);
  assert.deepEqual(bar_rows(many("gossip"), 0, () => [null]), [{name: "gossip", values: [null]}]);
});

test("words are looked for in name, scheme and family; a comma is an or", () => {
  const [ring, gossip] = groups_of([run("ring", {label: "Ring of 8"}), run("gossip", {varied: {latency: "1ms"}})]);
  const found = (typed) => [ring, gossip].filter((group) => is_meant(group, typed)).map(({name}) => name);
  assert.deepEqual(found(""), ["Ring of 8", "gossip, latency 1 ms"]);
  assert.deepEqual(found("ring"), ["Ring of 8"]);
  assert.deepEqual(found("decentral 1 ms"), ["gossip, latency 1 ms"]);
  assert.deepEqual(found("gossip synchronous"), []);
  assert.deepEqual(found("gossip, synchronous"), ["Ring of 8", "gossip, latency 1 ms"]);
  assert.deepEqual(found(" , "), ["Ring of 8", "gossip, latency 1 ms"]);
});

test("who crashed is marked beside its name, in bars and in the table", () => {
  const runs = [run("ring", {crashed: true}), run("gossip", {interrupted: true, crashed: true}), run("ps-sync")];
  assert.deepEqual(groups_of(runs).map(marked_name), ["ring (crashed)", "gossip (interrupted) (crashed)", "ps-sync"]);
  assert.deepEqual(all_columns(runs)[0].values, ["ring (crashed)", "gossip (interrupted) (crashed)", "ps-sync"]);
});

test("the table begins with label, loss and time to the target; of many runs it has their families", () => {
  const headings = (runs) => all_columns(runs).map(({heading}) => heading);
  assert.deepEqual(headings([run("ring", {varied: {latency: "1ms"}, workers: 8})]),
    ["label", "train_loss", "seconds_to_target", "varied.latency", "scheme", "seed", "model.name", "workers"]);
  const eleven = Array.from({length: 11}, (_, at) => run("gossip", {varied: {seeds: String(at)}}));
  assert.deepEqual(headings(eleven).slice(0, 5), ["label", "train_loss", "seconds_to_target", "varied.seeds", "family"]);
});
