import "./curve_figures_here.mjs";
import "./d3_here.mjs";

import assert from "node:assert/strict";
import test from "node:test";

import { data_words } from "../../../src/web/page/free_form.js";
import { address_from_lab, command_line, free_question, free_state_of_hash, hash_of_free_state, scheme_name, shell_word, split_schemes, toml_text, with_scheme } from "../../../src/web/page/free_state.js";

const known = [{section: "network", name: "latency", argument: "DURATION", help: "", value: "100us"},
  {section: "run", name: "gradient-norm", argument: "", help: "", value: "false"},
  {section: "data", name: "dataset", argument: "NAME", help: "", value: "sparse-logistic"},
  {section: "optimizer", name: "lr", argument: "GAMMA", help: "", value: "4"}];

const first = {schemes: "ring,gossip", seeds: "1", options: {}, view: {x: "seconds", y: "train_loss", of: "ring", log: "", hidden: ""}};
const state = {...first, schemes: "ring,ssp{staleness=1,lr=2}", options: {latency: "1ms", "gradient-norm": ""}};

test("contestants are parted at commas that are in no braces", () => {
  assert.deepEqual(split_schemes("ring, ssp{staleness=1,lr=2},gossip:torus,"), ["ring", "ssp{staleness=1,lr=2}", "gossip:torus"]);
  assert.deepEqual(split_schemes(""), []);
  assert.deepEqual(["ring", "gossip:torus", "ssp{staleness=1}"].map(scheme_name), ["ring", "gossip", "ssp"]);
});

test("a scheme comes at the end, and goes with all its contestants", () => {
  assert.equal(with_scheme("ring", "gossip", true), "ring,gossip");
  assert.equal(with_scheme("", "gossip", true), "gossip");
  assert.equal(with_scheme("gossip,ring,gossip:torus,gossip-pga", "gossip", false), "ring,gossip-pga");
});

test("a state and its address are the same", () => {
  const hash = hash_of_free_state(state, first);
  assert.equal(hash, "#schemes=ring,ssp%7Bstaleness%3D1,lr%3D2%7D&latency=1ms&gradient-norm=");
  assert.deepEqual(free_state_of_hash(hash, first, known), state);
  assert.equal(hash_of_free_state(first, first), "");
  assert.deepEqual(free_state_of_hash("#nothing=1", first, known), first);
});

test("what a lab's page shows is an address of the free page", () => {
  const start = {schemes: "ring,ssp{lr=2}", options: {latency: "1us", "gradient-norm": "", lr: "4"}};
  const view = {x: "epoch", y: "train_loss", of: "ssp{lr=2}", log: "y", hidden: "ring"};
  const hash = address_from_lab(start, {latency: "1ms"}, view);
  const elsewhere = {schemes: "gossip", seeds: "1", options: {}, view: {...view, x: "seconds", of: "gossip", log: "x"}};
  assert.deepEqual(free_state_of_hash(hash, elsewhere, known),
    {schemes: start.schemes, seeds: "1", options: {latency: "1ms", "gradient-norm": "", lr: "4"}, view});
  const above = free_state_of_hash(address_from_lab(start, {}, {...view, y: "suboptimality"}), first, known);
  assert.deepEqual(above.view, {...view, y: first.view.y, log: ""});
});

test("a question has what is given, and the token of one's own data", () => {
  assert.deepEqual(free_question(state, null), {schemes: state.schemes, options: state.options});
  assert.deepEqual(free_question({...first, seeds: "3"}, {token: "abc", name: "x.csv", reading: {}}),
    {schemes: "ring,gossip", options: {}, seeds: 3, data: "abc"});
});

test("one's own data are in place of a generated set", () => {
  const both = {...first, options: {dataset: "blobs", latency: "1ms"}}, own = {token: "abc", name: "x.csv", reading: {}};
  assert.deepEqual(free_question(both, own).options, {latency: "1ms"});
  assert.match(command_line(both, own, known), /--dataset x\.csv --latency 1ms$/);
});

test("a shell takes every word as it is", () => {
  assert.deepEqual(["ring,gossip:torus", "ssp{lr=2}", "it's", "", "$(reboot)"].map(shell_word),
    ["ring,gossip:torus", "'ssp{lr=2}'", "'it'\\''s'", "''", "'$(reboot)'"]);
});

test("the command line makes the same comparison", () => {
  assert.equal(command_line(state, null, known),
    "trainyard compare --schemes 'ring,ssp{staleness=1,lr=2}' --time virtual --compute-time 1ms --latency 1ms --gradient-norm");
  assert.equal(command_line({...first, seeds: "3"}, {token: "abc", name: "my rows.csv", reading: {"label-column": "-1"}}, known),
    "trainyard compare --schemes ring,gossip --seeds 3 --time virtual --compute-time 1ms --dataset 'my rows.csv' --label-column -1");
});

test("the configuration has each option in its section", () => {
  assert.equal(toml_text({...state, options: {...state.options, lr: "0.5"}}, {token: "abc", name: 'a"b.csv', reading: {"label-column": "0"}}, known),
    ["# trainyard compare FILE --schemes 'ring,ssp{staleness=1,lr=2}'", "", "[run]", 'time = "virtual"', "gradient-norm = true", "",
      "[compute]", 'compute-time = "1ms"', "", "[data]", 'dataset = "a\\"b.csv"', 'label-column = "0"', "",
      "[network]", 'latency = "1ms"', "", "[optimizer]", "lr = 0.5", ""].join("\n"));
});

test("data that were read, in words", () => {
  assert.equal(data_words({name: "x.csv", rows: 10, features: 2, classes: 3, remarks: ["A row is empty."]}),
    "x.csv: 10 rows of 2 features, 3 classes. A row is empty.");
  assert.match(data_words({name: "x.csv", rows: 10, features: 2, classes: 0, remarks: []}), /numbers as labels/);
});
