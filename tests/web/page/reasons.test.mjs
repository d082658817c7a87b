import assert from "node:assert/strict";
import test from "node:test";

import { groups_of } from "../../../src/web/page/curves.js";
import { latency_share, reason_of, target_text, time_shares, verdicts_of } from "../../../src/web/page/reasons.js";

// 8 workers, 100 µs and 1 Gbit/s a message, whose 12.5 kB take as long again.
const run = (label, more = {}) => ({
  label, seed: 1, seconds: 10, time_split: {compute: 2, transfer: 6, wait: 2},
  target_loss: 0.5, target_accuracy: null, target_gradient: null,
  seconds_to_target: 4, epochs_to_target: 2, diverged: false, staleness: null,
  messages: 1000, bytes_sent: 12_500_000, latency_s: 1e-4, bandwidth_bps: 1e9,
  evaluations: {train_loss: [0.7, 0.5]}, ...more,
});

test("the latency's share of a message is α / (α + bytes/β)", () => {
  assert.equal(latency_share(run("ring")), 0.5);
  assert.equal(latency_share(run("ring", {bandwidth_bps: null})), 1);
  assert.equal(latency_share(run("ring", {latency_s: 0})), null);
  assert.equal(latency_share(run("hogwild", {messages: 0})), null);
});

test("shares of time are those of the run, over its seeds", () => {
  const [group] = groups_of([run("ring"), run("ring", {seed: 2, time_split: {compute: 4, transfer: 6, wait: 0}})]);
  const shares = time_shares(group);
  for (const [part, share] of Object.entries({compute: 0.3, transfer: 0.6, wait: 0.1})) {
    assert.ok(Math.abs(shares[part] - share) < 1e-12, part);
  }
});

test("a reason names what most of the time went into", () => {
  const reason = (more) => reason_of(groups_of([run("ring", more)])[0]);
  assert.equal(reason({}), "Its workers had messages on the wire for 60 % of their time (a message has 12.5 kB on average, " +
    "so that latency, 100 µs, is 50 % of the way); they waited 20 % of it for others.");
  assert.equal(reason({time_split: {compute: 9.5, transfer: 0.5, wait: 0}}), "Its workers computed 95 % of their time.");
  assert.equal(reason({time_split: {compute: 5, transfer: 0, wait: 5}}), "Its workers waited 50 % of their time for others.");
  assert.match(reason({bytes_sent: 125_000_000}), /so that its transfer at 1 Gbit\/s is 91 % of the way/);
  assert.match(reason({staleness: {mean: 6.94}}), /; its gradients were 6\.9 updates old on average\.$/);
});

test("the first one is first, and the others are told against it", () => {
  const verdicts = verdicts_of(groups_of([
    run("slow", {seconds_to_target: 12, epochs_to_target: 3}), run("fast"), run("lost", {seconds_to_target: null, epochs_to_target: null}),
    run("broken", {seconds_to_target: null, diverged: true})]));
  assert.deepEqual(verdicts.map(({name, outcome}) => [name, outcome]), [
    ["fast", "was there first, after 4 s, 3 times as fast as the next."],
    ["slow", "took 3 times as long, 12 s: 1.5 times as many passes over the data, and each took 2 times as long."],
    ["lost", "did not get there; its lowest training loss was 0.5."],
    ["broken", "diverged."]]);
});

const outcomes = (...runs) => verdicts_of(groups_of(runs)).map(({name, outcome}) => `${name} ${outcome}`);

test("of several seeds it says how many were there, and those with all of them come first", () => {
  assert.deepEqual(outcomes(run("lucky", {seconds_to_target: 1}), run("lucky", {seed: 2, seconds_to_target: null}),
    run("sure"), run("sure", {seed: 2})),
  ["sure was there first, after 4 s.", "lucky was there after 1 s (1 of 2 seeds)."]);
  assert.deepEqual(outcomes(run("ring", {seconds_to_target: null}), run("ring", {seed: 2, seconds_to_target: null, diverged: true})),
    ["ring did not get there; its lowest training loss was 0.5; 1 of 2 seeds diverged."]);
});

test("a run alone is not first", () => {
  assert.deepEqual(outcomes(run("ring")), ["ring was there after 4 s."]);
});

test("what nobody could tell apart is not called faster", () => {
  assert.deepEqual(outcomes(run("a"), run("b", {seconds_to_target: 4.01}), run("c", {seconds_to_target: 4.2})), [
    "a was there first, after 4 s, as fast as the next.",
    "b took as long, 4.01 s.",
    "c took 1.05 times as long, 4.2 s: as many passes over the data, and each took as long."]);
});

test("who is there from the start has no factor", () => {
  assert.deepEqual(outcomes(run("a", {seconds_to_target: 0, epochs_to_target: 0}), run("b", {seconds_to_target: 0, epochs_to_target: 0}), run("c")),
    ["a was there from the start.", "b was there from the start.", "c was there after 4 s."]);
});

test("an interrupted run has not lost, and a loss that is not finite is not said", () => {
  assert.deepEqual(outcomes(run("a"), run("b", {seconds_to_target: null, interrupted: true}),
    run("c", {seconds_to_target: null, evaluations: {train_loss: [null, null]}})).slice(1),
  ["b was interrupted before it got there.", "c did not get there."]);
});

test("hundreds of thousands of evaluations are no limit", () => {
  const train_loss = Array.from({length: 300_000}, (_, at) => 1 / (at + 1));
  assert.match(outcomes(run("a", {seconds_to_target: null, evaluations: {train_loss}}))[0], /3\.333e-6/);
});

test("a target is named by what it is", () => {
  assert.equal(target_text(run("ring")), "a training loss of 0.5");
  assert.equal(target_text(run("ring", {target_loss: null, target_accuracy: 0.9})), "a test accuracy of 0.9");
  assert.equal(target_text(run("ring", {target_loss: null, target_gradient: 1e-3})), "a squared gradient norm of 0.001");
  assert.equal(target_text(run("ring", {target_loss: null})), "");
});
