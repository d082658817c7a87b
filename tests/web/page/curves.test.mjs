import "./curve_figures_here.mjs";

import assert from "node:assert/strict";
import test from "node:test";

import { band_over, groups_of, interpolation, mean_of, name_of, outcome_quantities, points_of, questions_of, series_of, those_known } from "../../../src/web/page/curves.js";

const run = (label, seed, losses, more = {}) => ({
  label, seed, model: {name: "logistic"}, dataset: {name: "a9a"}, configuration: "[model]\nl2 = 0\n",
  evaluations: {seconds: losses.map((_, at) => at), train_loss: losses, test_loss: null}, ...more,
});

test("runs of one contestant and point are one group, its seeds together", () => {
  const runs = [run("ring", 1, [1]), run("gossip", 1, [1]), run("ring", 2, [1]), run("ring", 1, [1], {varied: {latency: "1ms"}})];
  assert.deepEqual(groups_of(runs).map(({name, runs: seeds}) => [name, seeds.map(({seed}) => seed)]),
    [["ring", [1, 2]], ["gossip", [1]], ["ring, latency 1 ms", [1]]]);
  assert.equal(name_of(run("ring", 1, [], {source: "monday"})), "ring, monday");
});

test("only runs that agree in data, objective, target and clock answer one question", () => {
  const text = (lines) => `[run]\n${lines.run ?? 'time = "virtual"'}\n[data]\ndataset = "a9a"\n${lines.data ?? ""}\n[model]\n${lines.model ?? "l2 = 0"}\n`;
  const plain = run("ring", 1, [], {configuration: text({})});
  const name = (more) => questions_of([plain, {...plain, ...more}])[1]?.name;
  assert.equal(name({label: "gossip", seed: 2, configuration: text({data: 'partition = "shards"\ndata-dir = "there"'})}), undefined);
  assert.equal(name({model: {name: "softmax"}}), "softmax on a9a");
  assert.equal(name({dataset: {name: "rcv1"}}), "logistic on rcv1");
  assert.equal(name({configuration: text({model: "l2 = 1e-4"})}), "logistic on a9a, l2 1e-4");
  assert.equal(name({configuration: text({run: 'time = "wall"'})}), "logistic on a9a, time wall");
  assert.equal(name({configuration: text({run: 'time = "virtual"\ntarget-loss = 0.3'})}), "logistic on a9a, target-loss 0.3");
  assert.equal(name({configuration: text({data: 'scale = "standard"'})}), "logistic on a9a, scale standard");
});

test("only what some run has is offered", () => {
  assert.deepEqual(those_known(outcome_quantities, [run("ring", 1, [1, 0.5])]).map(({key}) => key), ["train_loss"]);
});

test("points are those of the columns, in their order", () => {
  assert.deepEqual(points_of(run("ring", 1, [3, 2]), "seconds", "train_loss"), [{x: 0, y: 3}, {x: 1, y: 2}]);
  assert.deepEqual(points_of(run("ring", 1, [3, 2]), "seconds", "test_loss"), []);
});

test("between two points a curve is straight, and it ends where they end", () => {
  const at = interpolation([{x: 1, y: 10}, {x: 3, y: 20}]);
  assert.deepEqual([0.5, 1, 2, 3, 3.5].map(at), [null, 10, 15, 20, null]);
});

test("a band has mean and extremes where all seeds have been", () => {
  const band = band_over([[{x: 0, y: 1}, {x: 2, y: 3}, {x: 4, y: 5}], [{x: 0, y: 3}, {x: 3, y: 6}]]);
  assert.deepEqual(band, [{x: 0, mean: 2, low: 1, high: 3}, {x: 2, mean: 4, low: 3, high: 5}]);
});

test("one seed is a curve with its points; several are drawn beneath their mean", () => {
  const [one] = series_of(groups_of([run("ring", 1, [3, 2])]), "seconds", "train_loss");
  assert.equal(one.points.length, 2);
  assert.equal(one.thin, undefined);
  const several = series_of(groups_of([run("ring", 1, [3, 2]), run("ring", 2, [5, 2])]), "seconds", "train_loss");
  assert.deepEqual(several.map(({thin, unmarked}) => [Boolean(thin), Boolean(unmarked)]), [[false, true], [true, false], [true, false]]);
  assert.deepEqual(several[0].points, [{x: 0, y: 4}, {x: 1, y: 2}]);
});

test("a mean is over those that have the figure", () => {
  assert.equal(mean_of([{a: 1}, {a: 3}, {a: null}], ({a}) => a), 2);
  assert.equal(mean_of([{a: null}], ({a}) => a), null);
});
