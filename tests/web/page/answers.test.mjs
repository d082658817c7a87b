import "./curve_figures_here.mjs";
import "./d3_here.mjs";

import assert from "node:assert/strict";
import test from "node:test";

import { answer_file, answers_in, answers_of_text, href_with, text_of_answers, with_answer } from "../../../src/web/page/lab_answers.js";
import { hash_of_state, initial_state, state_of_hash } from "../../../src/web/page/lab_state.js";

const all = "straggler:ps-async{lr=0.125};topologies:gossip:static-exp;local-steps:9;one-peer:none";
const lab = {name: "straggler", number: 3, title: "", question: "", story: [], timeline: "ring", options: {}, show: {x: "seconds", y: "train_loss"},
  sliders: [{option: "latency", label: "", values: ["10us", "1ms"], texts: ["10 µs", "1 ms"], value: "10us"}]};

test("answers are the same as text, in an address and in a file", () => {
  const answers = answers_of_text(all);
  assert.deepEqual(Object.fromEntries(answers), {straggler: "ps-async{lr=0.125}", topologies: "gossip:static-exp", "local-steps": "9", "one-peer": "none"});
  assert.equal(text_of_answers(answers), all);
  const href = href_with("/lab/away", all);
  assert.match(href, /^\/lab\/away#answers=[^;{}]+$/);
  assert.equal(answers_in(href.slice(href.indexOf("#"))), all);
  assert.equal(href_with("away.html", ""), "away.html");
  const file = JSON.parse(answer_file("Ada Lovelace", all));
  assert.deepEqual(file, {format: "trainyard answers 1", student: "Ada Lovelace", answers: Object.fromEntries(answers)});
});

test("what is no answer in an address is left out", () => {
  for (const text of ["", ";", "a", ":b", "a:", ";;a:;:b"]) assert.equal(answers_of_text(text).size, 0, text);
});

test("the first answer of a lab stays", () => {
  assert.equal(with_answer("", "straggler", "ring"), "straggler:ring");
  assert.equal(with_answer("straggler:ring", "away", "gossip"), "straggler:ring;away:gossip");
  assert.equal(with_answer("straggler:none", "straggler", "gossip"), "straggler:none");
});

test("a lab's address keeps the answers to others", () => {
  const state = {...initial_state(lab), guess: "ring", answers: all};
  const hash = hash_of_state(lab, state);
  assert.deepEqual(state_of_hash(lab, hash), state);
  assert.equal(answers_in(hash), all);
});
