import "./curve_figures_here.mjs";

import assert from "node:assert/strict";
import test from "node:test";

import { groups_of } from "../../../src/web/page/curves.js";
import { paired_ratio, student_quantile } from "../../../src/web/page/paired.js";
import { answer_title, latency_share, reason_of, target_text, time_shares, unranked_words, verdicts_of } from "../../../src/web/page/reasons.js";

// 8 workers, 100 µs and 1 Gbit/s a message, whose 12.5 kB take as long again.
const run = (label, more = {}) => ({
  label, seed: 1, seconds: 10, time_split: {compute: 2, transfer: 6, wait: 2},
  configuration: "[run]\ntarget-loss = 0.5\n", train_loss: 0.5, target_loss: 0.5, target_accuracy: null, target_gradient: null,
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

test("who pauses does not compute all of that time", () => {
  const reason = (configuration) => reason_of(groups_of([run("ring", {configuration, time_split: {compute: 9.5, transfer: 0.5, wait: 0}})])[0]);
  assert.equal(reason("pause = \"0.05:50ms\"\n"), "Its workers computed or paused 95 % of their time.");
  assert.equal(reason("pause = \"none\"\n"), "Its workers computed 95 % of their time.");
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
  ["sure was there first of those that were with all seeds, after 4 s.",
    "lucky was there after 1 s with 1 of 2 seeds; did not get there with 1 of 2 seeds; its lowest training loss was 0.5."]);
  assert.deepEqual(outcomes(run("ring", {seconds_to_target: null}), run("ring", {seed: 2, seconds_to_target: null, diverged: true})),
    ["ring did not get there with 1 of 2 seeds; its lowest training loss was 0.5; diverged with 1 of 2 seeds."]);
  assert.deepEqual(outcomes(run("ring", {diverged: true}), run("ring", {seed: 2, seconds_to_target: null, diverged: true})), ["ring diverged with all 2 seeds."]);
});

test("who shares memory stands apart from a network between machines, and is not first", () => {
  const verdicts = verdicts_of(groups_of([run("hogwild", {seconds_to_target: 1, within: "one machine"}), run("slow", {seconds_to_target: 8}), run("fast")]));
  assert.deepEqual(verdicts.map(({name, outcome, within}) => [name, outcome, within]), [
    ["fast", "was there first, after 4 s, 2 times as fast as the next.", ""],
    ["slow", "took 2 times as long, 8 s: as many passes over the data, and each took 2 times as long.", ""],
    ["hogwild", "was there after 1 s.", "one machine"]]);
  // Nor does it make another one first that is alone with it.
  assert.deepEqual(outcomes(run("hogwild", {seconds_to_target: 1, within: "one machine"}), run("ring")),
    ["ring was there after 4 s.", "hogwild was there after 1 s."]);
});

test("what cache lines took is a part of computing", () => {
  const reason = (lines_s) => reason_of(groups_of([run("hogwild", {lines_s, time_split: {compute: 10, transfer: 0, wait: 0}})])[0]);
  assert.equal(reason(6), "Its workers computed 100 % of their time; 60 % of it for cache lines that others had written, by a model of them.");
  assert.equal(reason(0.1), "Its workers computed 100 % of their time.");
});

test("a run alone is not first", () => {
  assert.deepEqual(outcomes(run("ring")), ["ring was there after 4 s."]);
});

test("what nobody could tell apart is not called faster", () => {
  assert.deepEqual(outcomes(run("a"), run("b", {seconds_to_target: 4.01}), run("c", {seconds_to_target: 4.2})), [
    "a was there after 4 s, as soon as the next.",
    "b took as long, 4.01 s.",
    "c took 1.05 times as long, 4.2 s: as many passes over the data, and each took as long."]);
});

test("who is there from the start has no factor", () => {
  assert.deepEqual(outcomes(run("a", {seconds_to_target: 0, epochs_to_target: 0}), run("b", {seconds_to_target: 0, epochs_to_target: 0}), run("c")),
    ["a was there from the start.", "b was there from the start.", "c was there after 4 s."]);
});

test("a loss that is not finite is not said", () => {
  assert.deepEqual(outcomes(run("a"), run("c", {seconds_to_target: null, evaluations: {train_loss: [null, null]}})).slice(1), ["c did not get there."]);
});

const cut = {seconds_to_target: null, epochs_to_target: null, interrupted: true};

test("where a run was cut off, nobody is called first, and the order is no ranking", () => {
  const groups = groups_of([run("a", {seconds_to_target: 9}), run("b", cut), run("c")]);
  assert.match(unranked_words(groups), /nobody can say who was first/);
  assert.equal(answer_title(groups), "Where they got, and where their time went");
  assert.deepEqual(verdicts_of(groups).map(({name, outcome}) => `${name} ${outcome}`),
    ["a was there after 9 s.", "b was cut off before it got there.", "c was there after 4 s."]);
});

test("seeds that were cut off have not lost, and turn no ranking round", () => {
  // slow came to its end with its fast seed only; fast with both.
  const groups = groups_of([run("slow", {seconds_to_target: 1}), run("slow", {seed: 2, ...cut}), run("fast"), run("fast", {seed: 2})]);
  assert.notEqual(unranked_words(groups), "");
  assert.deepEqual(verdicts_of(groups).map(({name, outcome}) => `${name} ${outcome}`),
    ["slow was there after 1 s with 1 of 2 seeds; was cut off before it got there with 1 of 2 seeds.", "fast was there after 4 s."]);
});

test("runs that were asked for and are not there might have been first", () => {
  const groups = groups_of([run("a"), run("b", {seconds_to_target: 8})]);
  assert.match(unranked_words(groups, ["c, seed 1"]), /nobody can say who was first\..* Not there at all: c, seed 1\.$/);
  assert.deepEqual(verdicts_of(groups, ["c, seed 1"]).map(({outcome}) => outcome), ["was there after 4 s.", "was there after 8 s."]);
  assert.equal(answer_title(groups, ["c, seed 1"]), "Where they got, and where their time went");
});

test("a run that was at the target before it was cut off can be ranked", () => {
  const groups = groups_of([run("a", {interrupted: true}), run("b", {seconds_to_target: 8})]);
  assert.equal(unranked_words(groups), "");
  assert.match(verdicts_of(groups)[0].outcome, /^was there first, after 4 s, 2 times as fast/);
});

test("means over other seeds are not ranked", () => {
  const groups = groups_of([run("a"), run("a", {seed: 2}), run("b")]);
  assert.equal(unranked_words(groups), "They did not all run with the same seeds, and stand in no order of merit: a ran with seeds 1, 2; b with 1.");
  assert.deepEqual(verdicts_of(groups).map(({outcome}) => outcome), ["was there after 4 s.", "was there after 4 s."]);
});

const free = {configuration: "", target_loss: null, seconds_to_target: null, epochs_to_target: null};

test("without a target, from where to where it came; what diverged, diverged", () => {
  assert.deepEqual(outcomes(run("a", free)), ["a came from a training loss of 0.7 to 0.5 in 10 s."]);
  assert.deepEqual(outcomes(run("a", {...free, train_loss: 70.6})), ["a came from a training loss of 0.7 to 70.6, higher than where it began, in 10 s."]);
  // The loss of the model that is kept is not that of the end.
  assert.deepEqual(outcomes(run("a", {...free, train_loss: 0.6, kept_epoch: 2})), ["a came from a training loss of 0.7 to 0.5 in 10 s."]);
  assert.deepEqual(outcomes(run("a", {...free, train_loss: null, diverged: true})), ["a diverged, within 10 s."]);
  assert.deepEqual(outcomes(run("a", free), run("a", {...free, seed: 2, diverged: true}), run("a", {...free, seed: 3, interrupted: true})),
    ["a came from a training loss of 0.7 to 0.5 in 10 s, on average over 2 of 3 seeds; diverged with 1 of 3 seeds; was cut off before its end with 1 of 3 seeds."]);
  assert.equal(answer_title(groups_of([run("a", free), run("b", free)])), "Where they got, and where their time went");
});

test("a run that a crash has ended says so, and is ranked as one that did not get there", () => {
  assert.deepEqual(outcomes(run("a", {...free, crashed: true})), ["a came from a training loss of 0.7 to 0.5 in 10 s; was ended by a crash."]);
  const ended = {seconds_to_target: null, epochs_to_target: null, crashed: true};
  const groups = groups_of([run("a", ended), run("b")]);
  assert.equal(unranked_words(groups), "");
  assert.deepEqual(verdicts_of(groups).map(({name, outcome}) => `${name} ${outcome}`).sort(),
    ["a was ended by a crash before it got there.", "b was there first, after 4 s."]);
  assert.deepEqual(outcomes(run("a", {...ended, interrupted: true})), ["a was cut off before it got there."]);
});

test("with the loss that all reached as target it is said how far down each came", () => {
  const common = (label, lowest, more = {}) => run(label, {configuration: "", evaluations: {train_loss: [0.7, 0.5, lowest]}, ...more});
  assert.deepEqual(outcomes(common("gossip", 0.5), common("ring", 0.4, {seconds_to_target: 8, epochs_to_target: 2})),
    ["gossip was there first, after 4 s, 2 times as fast as the next. It came down to 0.5.",
      "ring took 2 times as long, 8 s: as many passes over the data, and each took 2 times as long. It came down to 0.4."]);
});

test("who was first and went up again is told with the loss it ended at", () => {
  const common = (label, train_loss, more = {}) =>
    run(label, {configuration: "", train_loss, evaluations: {train_loss: [0.7, 0.5, train_loss]}, ...more});
  assert.deepEqual(outcomes(common("gossip", 0.6), common("ring", 0.505, {seconds_to_target: 8, epochs_to_target: 2})),
    ["gossip was there first, after 4 s, 2 times as fast as the next. It came down to 0.5, and went up again, to 0.6 at its end.",
      "ring took 2 times as long, 8 s: as many passes over the data, and each took 2 times as long. It came down to 0.5."]);
});

test("of a target that is no loss it says how close it came", () => {
  assert.deepEqual(outcomes(run("a", {target_loss: null, target_accuracy: 0.9, seconds_to_target: null,
    evaluations: {train_loss: [0.7, 0.5], test_accuracy: [0.5, 0.85, 0.8]}})), ["a did not get there; its highest test accuracy was 0.85."]);
});

test("of links that differ nobody says what a message's latency is", () => {
  const reason = (configuration) => reason_of(groups_of([run("ring", {configuration})])[0]);
  assert.match(reason("racks = 1\njitter = \"none\"\nfault = \"none\"\n"), /a message has/);
  for (const configuration of ["racks = 2\n", "jitter = \"exponential:1ms\"\n", "links = \"net.csv\"\n", "fault = \"loss:0.1\"\n"]) {
    assert.doesNotMatch(reason(configuration), /a message has/, configuration);
  }
});

test("hundreds of thousands of evaluations are no limit", () => {
  const train_loss = Array.from({length: 300_000}, (_, at) => 1 / (at + 1));
  assert.match(outcomes(run("a", {seconds_to_target: null, evaluations: {train_loss}}))[0], /3\.333e-6/);
});

test("a target is named by what it is", () => {
  assert.equal(target_text(run("ring")), "a training loss of 0.5");
  assert.equal(target_text(run("ring", {target_loss: null, target_accuracy: 0.9})), "a test accuracy of 0.9");
  assert.equal(target_text(run("ring", {target_loss: null, target_accuracy: 0.9, validation_loss: 0.4})), "a validation accuracy of 0.9");
  assert.equal(target_text(run("ring", {target_loss: null, target_gradient: 1e-3})), "a squared gradient norm of 0.001");
  assert.equal(target_text(run("ring", {target_loss: null})), "");
});

test("with several seeds first is who the seeds bear out", () => {
  const seeds = (label, seconds) => seconds.map((one, at) => run(label, {seed: at + 1, seconds_to_target: one}));
  const outcomes = (...runs) => verdicts_of(groups_of(runs)).map(({outcome}) => outcome);
  assert.match(outcomes(...seeds("ring", [4, 5, 6]), ...seeds("gossip", [5, 6.1, 7.6]))[0], /^was there first/);
  const unsure = outcomes(...seeds("ring", [4, 5, 6]), ...seeds("gossip", [7, 4, 7]));
  assert.equal(unsure[0], "was there after 5 s, not told apart from gossip by 3 seeds.");
  assert.equal(unsure[1], "was there after 6 s, not told apart from ring by 3 seeds.");
});

test("with one seed who is less than an evaluation apart is about as soon", () => {
  const one = (label, seconds, epochs) => run(label, {seconds_to_target: seconds, epochs_to_target: epochs, target_interval_s: 1});
  const outcomes = (...runs) => verdicts_of(groups_of(runs)).map(({outcome}) => outcome);
  assert.equal(outcomes(one("ring", 4, 2), one("gossip", 4.5, 2.2))[0], "was there after 4 s, less than one evaluation apart from gossip.");
  assert.match(outcomes(one("ring", 4, 2), one("gossip", 4.5, 2))[0], /^was there first/, "the same curve");
  assert.match(outcomes(one("ring", 4, 2), one("gossip", 5.5, 2.2))[0], /^was there first/);
});

test("one measurement each tells no order of what is less than twice apart", () => {
  const one = (label, seconds) => run(label, {time: "wall", seconds_to_target: seconds, epochs_to_target: 2, target_interval_s: 0.1});
  const outcomes = (...runs) => verdicts_of(groups_of(runs)).map(({outcome}) => outcome);
  assert.deepEqual(outcomes(one("ring", 4), one("gossip", 7)),
    ["was there after 4 s, not told apart from gossip by one seed's measurements.", "was there after 7 s, not told apart from ring by one seed's measurements."]);
  assert.match(outcomes(one("ring", 4), one("gossip", 9))[0], /^was there first/);
});

test("who is at the target before any message is not ranked", () => {
  const verdicts = verdicts_of(groups_of([run("gosgd", {workers: 8, scheme: "gosgd", seconds_to_target: 5e-5, consensus_distance: 0.1}), run("ring", {workers: 8, scheme: "ring"}),
    run("gossip", {workers: 8, scheme: "gossip", seconds_to_target: 8})]));
  assert.equal(verdicts_of(groups_of([run("eamsgd", {workers: 8, scheme: "eamsgd", seconds_to_target: 5e-5, consensus_distance: null}),
    run("ring", {workers: 8, scheme: "ring"})]))[0].name, "eamsgd", "a server's model");
  assert.deepEqual(verdicts.map(({name}) => name), ["ring", "gossip", "gosgd"]);
  assert.match(verdicts[0].outcome, /^was there first/);
  assert.match(verdicts[2].outcome, /before any message had arrived/);
});

test("Student's interval of paired ratios", () => {
  // Logarithms of 3, -1, 1: mean 1, deviation 2, t(2) 4.303.
  const ratio = paired_ratio([1, 2, 3], [Math.E ** 3, 2 / Math.E, 3 * Math.E]);
  assert.ok(Math.abs(ratio.mean - Math.E) < 1e-12);
  assert.ok(Math.abs(Math.log(ratio.high) - 1 - 4.303 * 2 / Math.sqrt(3)) < 1e-12);
  assert.equal(ratio.is_borne_out, false);
  assert.equal(paired_ratio([1], [2]), null);
  assert.ok(Math.abs(student_quantile(31) - 2.0395) < 5e-4);
  assert.ok(Math.abs(student_quantile(1000) - 1.9623) < 5e-4);
});

test("a step size that was found for the run is said with it", () => {
  const reason = (tuned) => reason_of(groups_of([run("ring", {tuned})])[0]);
  assert.match(reason({lr: "32"}), /others\. Its step size, the best of a grid: 32\.$/);
  assert.match(reason({lr: "32", "consensus-rate": "0.6"}), /: 32, consensus-rate 0\.6\.$/);
  assert.doesNotMatch(reason(undefined), /step size/);
});
