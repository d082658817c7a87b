import "./curve_figures_here.mjs";

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";

import { drawn_words, is_right, line_ticks, value_at, with_unit } from "../../../src/web/page/lab_drawn_guess.js";
import { answers_of, guess_figures, guess_words, guessables } from "../../../src/web/page/lab_guess.js";
import { figure_words, scheme_words } from "../../../src/web/page/words.js";

const first = {question: "Who is first?", figure: "seconds_to_target", most: false};
const timed = [["ring", 2], ["gossip", 1], ["one-peer", 1.004], ["lost", null]].map(([name, value]) => ({name, value}));
const names = (all) => all.map(({name}) => name);

test("the answer is who has the least, within half a percent", () => {
  assert.deepEqual(names(answers_of(timed, false)), ["gossip", "one-peer"]);
});

test("who is less than one evaluation behind is right as well, unless the two have one curve", () => {
  const with_passes = (passes) => [{name: "a", value: 2, interval: 0.5, passes: 1}, {name: "b", value: 2.3, interval: 0.4, passes},
    {name: "c", value: 2.45, interval: 0.4, passes}];
  assert.deepEqual(names(answers_of(with_passes(1.2), false)), ["a", "b"]);
  assert.deepEqual(names(answers_of(with_passes(1.0005), false)), ["a"]);
  // Of b and c, with as many passes, the clock decides.
  assert.deepEqual(names(answers_of(with_passes(1.2), true)), ["c"]);
  assert.equal(guess_words(with_passes(1.2), first, "b"), "You guessed b, and that is right: a and b are first, less than one evaluation apart, after 2 s.");
});

test("who never comes there has the most", () => {
  assert.deepEqual(names(answers_of(timed, true)), ["lost"]);
  assert.deepEqual(names(answers_of(timed.slice(0, 3), true)), ["ring"]);
});

test("what is said of a guess says what the figures are", () => {
  assert.equal(guess_words(timed, first, "one-peer"), "You guessed one-peer, and that is right: gossip and one-peer are first, after 1 s.");
  assert.equal(guess_words(timed, first, "ring"), "You guessed ring. But gossip and one-peer are first, after 1 s. ring is number 3 of 4, after 2 s.");
  assert.equal(guess_words(timed, first, "lost"), "You guessed lost. But gossip and one-peer are first, after 1 s. lost is number 4 of 4, never.");
  assert.equal(guess_words(timed, first, "none"), "gossip and one-peer are first, after 1 s.");
  assert.equal(guess_words(timed, {...first, most: true}, "lost"), "You guessed lost, and that is right: lost is last, never.");
});

const steps = {option: "period", units: ["step", "steps"], from: 1, to: 128, right: [6, 33], tolerance: 1.2};
const passes = {option: "checkpoint-every", units: ["pass", "passes"], from: 0.02, to: 8, right: [0.27, 1.37], tolerance: 1.1};

test("a line goes from end to end, in whole numbers where it begins at one", () => {
  for (const line of [steps, passes]) {
    const values = Array.from({length: 121}, (_, place) => value_at(line, place));
    assert.equal(values[0], line.from);
    assert.equal(values[120], line.to);
    values.slice(1).forEach((value, at) => assert.ok(value >= values[at]));
  }
  assert.equal(value_at(steps, 60), 11);  // √128
  assert.equal(value_at(passes, 60), 0.4);
  assert.deepEqual(line_ticks(steps).map(({value}) => value), [1, 2, 5, 10, 20, 50, 100]);
  assert.deepEqual(line_ticks(passes).map(({value}) => value), [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]);
  assert.equal(line_ticks({...steps, to: 100})[3].share, 0.5);
});

test("a mark is right where the figure is within the tolerance of the best", () => {
  for (const [mark, right] of [["5", false], ["6", true], ["33", true], ["34", false], ["none", false], ["", false]]) {
    assert.equal(is_right(steps, mark), right, mark);
  }
  const said = "from 6 to 33 steps a run comes there at most 20 % later than at the best";
  assert.equal(drawn_words(steps, "9"), `You marked 9 steps, and that is right: ${said}.`);
  assert.equal(drawn_words(steps, "64"), `You marked 64 steps. But ${said}.`);
  assert.equal(drawn_words(steps, "none"), `From${said.slice(4)}.`);
  assert.equal(with_unit(steps, 1), "1 step");
  assert.equal(guess_words(timed, {...first, drawn: passes}, "0.5"), "You marked 0.5 passes, and that is right: from 0.27 to 1.37 passes a run " +
    "comes there at most 10 % later than at the best. In the picture gossip and one-peer are first, after 1 s.");
});

test("a loss that diverged is no number to be compared", () => {
  const runs = [{label: "ring", train_loss: 0.5, diverged: false}, {label: "wild", train_loss: 0.1, diverged: true}];
  assert.deepEqual(guessables(runs, {...first, figure: "train_loss"}), [{name: "ring", value: 0.5}, {name: "wild", value: null}]);
});

test("a sentence for a scheme is its table's, whatever is set of it", () => {
  for (const label of ["ring", "ring{lr=0.4}", "ring:torus", "ring, latency 1 ms"]) assert.match(scheme_words(label), /^all-reduce/);
  assert.equal(scheme_words("own"), "");
  assert.match(figure_words("staleness.mean"), /updates$/);
  assert.equal(figure_words("seed"), "");
});

test("every lab asks for a figure that the page has words for", () => {
  const folder = new URL("../../../docs/labs/", import.meta.url);
  const labs = readdirSync(folder).filter((name) => name.endsWith(".toml"));
  assert.ok(labs.length > 20);
  for (const name of labs) {
    const figure = /\[page\.guess\][^[]*?\nfigure = "(\w+)"/.exec(readFileSync(new URL(name, folder), "utf8"))?.[1];
    assert.ok(figure !== undefined && figure in guess_figures, `${name}: ${figure}`);
  }
});
