import "./curve_figures_here.mjs";

import assert from "node:assert/strict";
import test from "node:test";

import { groups_of } from "../../../src/web/page/curves.js";
import { limits_of } from "../../../src/web/page/limits.js";
import { verdicts_of } from "../../../src/web/page/reasons.js";
import { closeness_words, folded } from "../../../src/web/page/verdict_list.js";

// 8 workers, 100 µs and 1 Gbit/s a message, whose 12.5 kB take as long again.
const run = (label, more = {}) => ({
  label, scheme: label, seed: 1, seconds: 10, time_split: {compute: 2, transfer: 6, wait: 2},
  configuration: "[run]\ntarget-loss = 0.5\n", train_loss: 0.5, target_loss: 0.5, target_accuracy: null, target_gradient: null,
  seconds_to_target: 4, epochs_to_target: 2, diverged: false, staleness: null,
  messages: 1000, bytes_sent: 12_500_000, latency_s: 1e-4, bandwidth_bps: 1e9,
  evaluations: {train_loss: [0.7, 0.5]}, ...more,
});
const limits = (...runs) => limits_of(groups_of(runs)).map(({about, text}) => `${about}| ${text}`);

test("of many the first few are read and the last; of ten all", () => {
  const numbers = (count) => Array.from({length: count}, (_, at) => at + 1);
  assert.deepEqual(folded(numbers(10)), {first: numbers(10), between: [], last: []});
  const {first, between, last} = folded(numbers(125));
  assert.deepEqual([first, between.length, between[0], last], [[1, 2, 3], 121, 4, [125]]);
});

test("where most are within an evaluation of the first there is no order", () => {
  const of = (close, apart) => [...Array(close).fill({outcome: "was there after 4 s, less than one evaluation apart from ring."}),
    ...Array(apart).fill({outcome: "took 2 times as long."})];
  assert.equal(closeness_words(of(4, 4)), "");
  assert.equal(closeness_words(of(3, 0)), "");
  assert.match(closeness_words(of(5, 4)), /^5 of 9 were at the target less than one evaluation apart/);
});

test("no run is shorter than its workers' computing, and a message is α + βb", () => {
  assert.deepEqual(limits(run("ring")), ["ring| messages: with messages that take no time and nobody to wait for it would be at most 5 times as fast, " +
    "as 20 % of its workers' time is computing. Its message of 12.5 kB, the mean, would take 25 % less time at half the latency, and 25 % less at twice the bandwidth."]);
  assert.deepEqual(limits(run("ring", {time_split: {compute: 2, transfer: 0, wait: 8}})),
    ["ring| waiting: with messages that take no time and nobody to wait for it would be at most 5 times as fast, as 20 % of its workers' time is computing."]);
  assert.deepEqual(limits(run("ring", {time_split: {compute: 9.9, transfer: 0.1, wait: 0}})),
    ["ring| computing, 99 % of its workers' time: no network would make it much faster."]);
});

test("no lever is named where the figures do not bear it out", () => {
  // Links that differ have no one latency; who pauses does not compute.
  assert.doesNotMatch(limits(run("ring", {configuration: "racks = 2\n"}))[0], /latency/);
  assert.doesNotMatch(limits(run("ring", {bandwidth_bps: null}))[0], /latency/);
  assert.doesNotMatch(limits(run("ring", {configuration: "pause = \"0.05:50ms\"\n"}))[0], /at most/);
  // Nobody is first where no target was reached.
  assert.deepEqual(limits(run("ring", {seconds_to_target: null}), run("gossip", {seconds_to_target: null})), []);
});

test("shorter passes and fewer of them are two ways to be first", () => {
  const three = [run("quick", {seconds_to_target: 4, epochs_to_target: 4}), run("few", {seconds_to_target: 8, epochs_to_target: 1}), run("late", {seconds_to_target: 20})];
  assert.equal(limits(...three)[1], "| Shortest passes over the data: quick, 1 s each. Fewest passes to the target: few, 1 against its 4.");
  // Of two their own sentences say it; and where one was cut off nobody is first.
  assert.equal(limits(three[0], three[1]).length, 1);
  assert.deepEqual(limits(...three, run("cut", {seconds_to_target: null, interrupted: true})), []);
  // One who has both needs no sentence.
  assert.equal(limits(run("quick", {seconds_to_target: 1, epochs_to_target: 1}), run("x"), three[2]).length, 1);
});

test("below a target that nobody asked for there is a lowest loss", () => {
  const common = {configuration: ""};
  assert.deepEqual(limits(run("a", {...common, train_loss: 0.4, seconds: 20, seconds_to_target: 9}), run("b", common)).slice(1),
    ["| Lowest training loss at the end: a, 0.4 after 20 s."]);
  assert.equal(limits(run("a", {train_loss: 0.4, seconds_to_target: 9}), run("b")).length, 1);
});

test("of many it is counted what most of their time went into", () => {
  const eleven = Array.from({length: 11}, (_, at) => run(`s${at}`, {seconds_to_target: null, time_split: at < 4 ? {compute: 9, transfer: 1, wait: 0} : {compute: 2, transfer: 6, wait: 2}}));
  assert.deepEqual(limits(...eleven), ["| Of 11 contestants, 4 computed for more than half of their time, 7 had messages on the wire, 0 waited for others."]);
});

test("who was ended by a crash did not just fail to get there", () => {
  const outcome = (...runs) => verdicts_of(groups_of(runs)).map((one) => one.outcome);
  assert.deepEqual(outcome(run("ring", {crashed: true, seconds_to_target: null})), ["was ended by a crash before it got there."]);
  assert.deepEqual(outcome(run("ring", {crashed: true, seconds_to_target: null}), run("ring", {seed: 2, seconds_to_target: null})),
    ["did not get there with 1 of 2 seeds; its lowest training loss was 0.5; was ended by a crash before it got there with 1 of 2 seeds."]);
  // One that was there before has nothing to be forgiven.
  assert.deepEqual(outcome(run("ring", {crashed: true})), ["was there after 4 s."]);
  const free = {target_loss: null, seconds_to_target: null, crashed: true};
  assert.match(outcome(run("ring", free))[0], /came from a training loss of 0\.7 to 0\.5 in 10 s; was ended by a crash\./);
});
