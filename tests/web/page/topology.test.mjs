import assert from "node:assert/strict";
import test from "node:test";

import { consensus_sentences, edges_of_matrix, rounds_words, topology_sentences } from "../../../src/web/page/topology_page.js";

const row = {workers: 4, period: 1, symmetric: true, doubly_stochastic: true, connected: true, messages_per_step: 2,
  bytes_per_step: 2097152, rho: 1 / 3, rms_contraction: 1 / 3, rounds_to_exact: null, "rounds_to_1e-3": 7, "rounds_to_1e-6": 13, W: []};

test("edges: from the rank whose model is taken to the one that takes it, not to itself", () => {
  const edges = edges_of_matrix([[0.5, 0.5, 0], [0, 0.75, 0.25], [1, 0, 0]], false);
  assert.deepEqual(edges.map(({from, to, weight}) => [from, to, weight]), [[1, 0, 0.5], [2, 1, 0.25], [0, 2, 1]]);
  assert.equal(edges[1].title, "taken with weight 0.25");
});

test("edges of a symmetric matrix: each pair once", () => {
  const edges = edges_of_matrix([[0.5, 0.5], [0.5, 0.5]], true);
  assert.deepEqual(edges.map(({from, to}) => [from, to]), [[0, 1]]);
});

test("rounds that are not known: never, or more than were tried", () => {
  assert.equal(rounds_words(row, "rounds_to_1e-3"), "7");
  assert.equal(rounds_words(row, "rounds_to_exact"), "never");
  assert.equal(rounds_words({...row, "rounds_to_1e-6": null}, "rounds_to_1e-6"), "more than were tried");
  assert.equal(rounds_words({...row, connected: false, "rounds_to_1e-6": null}, "rounds_to_1e-6"), "never");
});

test("one graph: what it sends and how it mixes", () => {
  assert.deepEqual(topology_sentences({topology: "ring", rows: [row]}), [
    "Over the graph ring each of 4 workers sends 2 messages (2.097 MB) a step.",
    "A round leaves at most 0.3333 of the distance to consensus; where rank i begins with the number i, a thousandth of it is left after 7 rounds.",
  ]);
});

test("a graph that changes and is exact says both", () => {
  const [first, second] = topology_sentences({topology: "one-peer-exp",
    rows: [{...row, period: 3, messages_per_step: 1, rounds_to_exact: 3, "rounds_to_1e-3": 3}]});
  assert.match(first, /sends 1 message \(.*3 rounds make a cycle\.$/);
  assert.match(second, /^On average over the cycle a round leaves at most 0\.3333 .* All ranks hold the exact mean after 3 rounds\.$/);
});

test("what a round leaves is no bound where columns do not sum to 1", () => {
  assert.match(topology_sentences({topology: "x", rows: [{...row, doubly_stochastic: false}]})[1], /^In the long run a round leaves 0\.3333 of/);
});

test("one worker has nobody to agree with", () => {
  assert.deepEqual(topology_sentences({topology: "ring", rows: [{...row, workers: 1, messages_per_step: 0}]}),
    ["Over the graph ring one worker by itself has nobody to agree with."]);
});

test("where ranks differ, what they send is an average", () => {
  const [first] = topology_sentences({topology: "star", rows: [{...row, messages_per_step: 1.5}]});
  assert.match(first, /sends 1\.5 messages \(2\.097 MB\) a step on average\.$/);
});

test("a graph that does not mix says so", () => {
  const never = {...row, connected: false, "rounds_to_1e-3": null};
  assert.match(topology_sentences({topology: "x", rows: [never]})[1], /it does not come down to a thousandth\.$/);
  assert.match(topology_sentences({topology: "x", rows: [{...row, "rounds_to_1e-3": null}]})[1], /in the rounds that were tried\.$/);
});

test("one graph over several numbers of workers: from the first to the last", () => {
  const larger = {...row, workers: 64, messages_per_step: 6, rms_contraction: 0.75, "rounds_to_1e-3": 15};
  assert.deepEqual(topology_sentences({topology: "static-exp", rows: [row, larger]}), [
    "Over the graph static-exp a worker sends 2 messages a step among 4 workers and 6 among 64.",
    "What a round leaves of the distance to consensus, at most, goes from 0.3333 to 0.75; rounds until a thousandth is left: 7 and 15.",
  ]);
});

const rounds = (distances, x = () => []) => distances.map((consensus_distance, round) => ({round, x: x(round), consensus_distance}));

test("consensus: when it is exact", () => {
  assert.deepEqual(consensus_sentences({topology: "g", workers: 8, mean: 3.5, rounds: rounds([5.25, 1.5, 0, 0])}),
    ["Averaging over the graph g, 8 workers: the distance to consensus is 5.25 at first and exactly 0 after 2 rounds: then all hold the mean, 3.5."]);
});

test("consensus: what a round leaves on average, where it is not", () => {
  assert.deepEqual(consensus_sentences({topology: "g", workers: 8, mean: 3.5, rounds: rounds([4, 2.5, 1])}), [
    "Averaging over the graph g, 8 workers: the distance to consensus is 4 at first and 1 after 2 rounds; a round leaves 0.5 of it on average.",
    "The mean, which all have come closer to, is 3.5.",
  ]);
});

test("consensus: where the graph falls apart, not all come closer to the mean of all", () => {
  // 0 and 1 agree on 0.5, 2 and 3 on 2.5; 1 was closer to 1.5 before.
  const x = (round) => (round === 0 ? [0, 1, 2, 3] : [0.5, 0.5, 2.5, 2.5]);
  assert.equal(consensus_sentences({topology: "g", workers: 4, mean: 1.5, rounds: rounds([1.25, 1, 1], x)})[1], "The mean of what they began with is 1.5.");
});

test("consensus: a single round, or agreement from the first, has no rate", () => {
  for (const distances of [[4], [0, 0]]) {
    assert.equal(consensus_sentences({topology: "g", workers: 8, mean: 1, rounds: rounds(distances)}).length, 1);
  }
});
