import assert from "node:assert/strict";
import test from "node:test";

import { best_ways, break_even_sentences, break_even_words, crossing_sentences, format_of_unit, prediction_sentences, prediction_setting,
  sorted_predictions, sweep_sentences } from "../../../src/web/page/prediction_page.js";

const row = (scheme, way, step_s, messages_per_step = 8) =>
  ({label: way ? `${scheme}:${way}` : scheme, scheme, way, servers: 0, closed_form_s: null, step_s, epoch_s: 1, messages_per_step, bytes_per_step: 0});
const rows = [row("sequential", null, 0.008, 0), row("ring", null, 0.017), row("gossip", "ring", 0.018), row("gossip", "exp", 0.009), row("hogwild", null, 0.001, 0)];

test("predict: shortest and longest of those that send, one machine by itself, exact averages", () => {
  assert.deepEqual(prediction_sentences({workers: 8, rows}), [
    "Of 3 ways of 2 schemes that send messages gossip:exp takes the shortest step among 8 workers, 9 ms; no step is longer than that of gossip:ring, 18 ms.",
    "One machine by itself (sequential) takes 8 ms for as many rows.",
    "A step of ring, which averages all gradients, takes 17 ms.",
  ]);
});

test("predict: those that take as long are named together", () => {
  const [first, last] = prediction_sentences({workers: 8, rows: [row("a", null, 0.01), row("b", null, 0.01), row("ring", null, 0.02), row("ps-sync", null, 0.03)]});
  assert.equal(first, "Of 4 schemes that send messages a and b take the shortest step among 8 workers, 10 ms; no step is longer than that of ps-sync, 30 ms.");
  assert.equal(last, "Of ring and ps-sync, which average all gradients in every step, ring takes the shortest: 20 ms.");
  assert.deepEqual(prediction_sentences({workers: 1, rows: ["a", "b", "c", "d"].map((name) => row(name, null, 0.01))}),
    ["Of 4 schemes that send messages a and 3 others take the shortest step among 1 worker, 10 ms."]);
});

test("predict: of one scheme nothing is compared", () => {
  assert.deepEqual(prediction_sentences({workers: 8, rows: [rows[1]]}),
    ["A step of ring takes 17 ms among 8 workers."]);
  assert.deepEqual(prediction_sentences({workers: 8, rows: [rows[0]]}), ["None of these schemes sends a message; a step of sequential takes 8 ms."]);
});

test("predict: a mean is said with its error", () => {
  assert.deepEqual(prediction_sentences({workers: 8, rows: [{...rows[1], step_error_s: 0.0002}]}),
    ["A step of ring takes 17 ms ± 200 µs among 8 workers."]);
  assert.deepEqual(prediction_sentences({workers: 8, rows: [{...rows[1], step_error_s: 0}]}),
    ["A step of ring takes 17 ms among 8 workers."]);
});

test("rows by size, what is unknown last; of each scheme its best way", () => {
  const unknown = {...row("x", null, 1), closed_form_s: null}, known = {...row("y", null, 1), closed_form_s: 1};
  assert.deepEqual(sorted_predictions([unknown, known], "closed_form_s").map(({scheme}) => scheme), ["y", "x"]);
  const sorted = sorted_predictions(rows, "step_s");
  assert.deepEqual(best_ways(sorted).map(({label}) => label), ["hogwild", "sequential", "gossip:exp", "ring"]);
});

test("a varied quantity in its own unit", () => {
  assert.equal(format_of_unit("s")(0.001), "1 ms");
  assert.equal(format_of_unit("s")(2), "2 s");
  assert.equal(format_of_unit("B/s")(125e6), "1 Gbit/s");
  assert.equal(format_of_unit("B")(1e6), "1 MB");
  assert.equal(format_of_unit("")(64), "64");
});

test("crossings: at a point, or between two where only some values are possible", () => {
  assert.deepEqual(crossing_sentences({vary: "latency", unit: "s", crossings: [{low: 0.0173, high: 0.01731, before: "ring", after: "gossip:ring"}]}),
    ["At latency 17.31 ms the shortest step changes from ring to gossip:ring."]);
  assert.deepEqual(crossing_sentences({vary: "workers", unit: "", crossings: [{low: 4, high: 8, before: "ring", after: "tree"}]}),
    ["Between workers 4 and 8 the shortest step changes from ring to tree."]);
});

test("sweep: who is shortest at both ends, and where that changes", () => {
  const points = [{value: 1e-5, cheapest: "ring", rows: []}, {value: 0.1, cheapest: "tree", rows: []}];
  const crossings = [{low: 0.01, high: 0.01, before: "ring", after: "tree"}];
  assert.deepEqual(sweep_sentences({vary: "latency", unit: "s", points, crossings}), [
    "At latency 10 µs ring has the shortest step of those that send messages, at 100 ms tree.",
    "At latency 10 ms the shortest step changes from ring to tree.",
  ]);
});

test("sweep: of texts who is shortest where", () => {
  const points = [["ring", "a"], ["torus", "b"], ["full", "a"]].map(([value, cheapest]) => ({value, cheapest, rows: []}));
  assert.deepEqual(sweep_sentences({vary: "topology", unit: null, points, crossings: []}), [
    "a has the shortest step of those that send messages at topology ring and full.",
    "b has the shortest step of those that send messages at topology torus.",
  ]);
});

test("sweep: one that is always shortest; one without messages", () => {
  const points = [{value: 1e6, cheapest: "ring", rows: []}, {value: null, cheapest: "ring", rows: []}];
  assert.deepEqual(sweep_sentences({vary: "bandwidth", unit: "B/s", points, crossings: []}),
    ["From bandwidth 8 Mbit/s to without a limit ring always has the shortest step of those that send messages."]);
  assert.deepEqual(sweep_sentences({vary: "latency", unit: "s", points: [{value: 1, cheapest: null, rows: []}], crossings: []}),
    ["None of these schemes sends a message."]);
});

const coded = (codec, step_s, pays, limit) => ({label: "choco:ring", scheme: "choco", way: "ring", codec, plain_step_s: 0.018, step_s,
  plain_bytes_per_step: 100, bytes_per_step: 25, pays, break_even_bytes_per_s: limit});

test("codecs: how many pay here, which most, and which never or always", () => {
  const content = {workers: 8, bandwidth_bytes_per_s: 125e6, rows: [coded("fp16", 0.009, "below", 1e9), coded("sign", 0.0018, "always", null), coded("slow", 0.02, "never", null)]};
  assert.deepEqual(break_even_sentences(content), [
    "Among 8 workers, at 1 Gbit/s, 2 of 3 pairs of scheme and codec take a shorter step than without the codec.",
    "choco:ring, sign gains most: a step takes 1.8 ms in place of 18 ms, 10 times as fast.",
    "1 never pays, at any bandwidth.",
    "1 always pays, at any bandwidth.",
    "How many steps training then needs is another question, which compare answers.",
  ]);
});

test("codecs: where none pays, and where there is no limit of bandwidth", () => {
  const sentences = break_even_sentences({workers: 8, bandwidth_bytes_per_s: null, rows: [coded("slow", 0.02, "below", 1e9)]});
  assert.match(sentences[0], /without a limit of bandwidth, 0 of 1/);
  assert.equal(sentences.length, 2);
});

test("a limit in words", () => {
  assert.deepEqual(["never", "always"].map((pays) => break_even_words({pays, break_even_bytes_per_s: null})), ["never", "always"]);
  assert.equal(break_even_words({pays: "below", break_even_bytes_per_s: 125e6}), "1 Gbit/s");
});

test("what figures are for: whatever is varied is not among it, and no option is left out", () => {
  const all = {workers: 8, parameters: 262144, compute_s: 0.001, batch: 32, epoch_rows: 60000, latency_s: 1e-4, bandwidth_bytes_per_s: 125e6};
  assert.equal(prediction_setting({...all, settings: {ports: "cutthrough", straggler: "0:2", "charge-control": "true"}}),
    "8 workers, a model of 262144 parameters, 1 ms for a minibatch of 32 rows, a pass over 60000 rows; " +
    "100 µs a message, 1 Gbit/s, ports cutthrough, straggler 0:2, charge-control.");
  assert.equal(prediction_setting({parameters: 1, compute_s: 0.001, batch: 1, bandwidth_bytes_per_s: null}),
    "a model of 1 parameter, 1 ms for a minibatch of 1 row; no limit of bandwidth.");
});
