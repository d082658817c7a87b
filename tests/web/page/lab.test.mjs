import "./curve_figures_here.mjs";
import "./d3_here.mjs";

import assert from "node:assert/strict";
import test from "node:test";

import { outcome_quantities, progress_quantities } from "../../../src/web/page/curves.js";
import { asking_words, make_asker } from "../../../src/web/page/lab_asking.js";
import { lab_href } from "../../../src/web/page/lab_index_page.js";
import { command_of, grid_asker } from "../../../src/web/page/lab_page.js";
import { above_minimum, coarse_question, difference_words, grid_key, hash_of_state, initial_state, question_of, state_of_hash, values_words } from "../../../src/web/page/lab_state.js";
import { level_of, quantity_of, run_of_steps } from "../../../src/web/page/live_figures.js";
import { activity_at, moment_beside, moment_words, moments_of } from "../../../src/web/page/message_animation.js";

const lab = {name: "straggler", number: 3, title: "", question: "", story: [], timeline: "ring",
  options: {epochs: "2"}, show: {x: "seconds", y: "train_loss"},
  sliders: [{option: "straggler", label: "times slower", values: ["0:1", "0:5", "0:10"], texts: ["1", "5", "10"], value: "0:10"},
    {option: "latency", label: "a message takes", values: ["10us", "1ms"], texts: ["10 µs", "1 ms"], value: "10us"}]};

test("a state and its address are the same", () => {
  const state = {values: {straggler: "0:5", latency: "1ms"}, view: {x: "epoch", y: "train_loss", of: "local-sgd{period=8}", log: "xy", hidden: "ring;gossip"}, guess: "ring", answers: ""};
  const hash = hash_of_state(lab, state);
  assert.equal(hash, "#straggler=0:5&latency=1ms&x=epoch&of=local-sgd%7Bperiod%3D8%7D&log=xy&hidden=ring%3Bgossip&guess=ring");
  assert.deepEqual(state_of_hash(lab, hash), state);
  assert.equal(hash_of_state(lab, initial_state(lab)), "");
  assert.deepEqual(state_of_hash(lab, ""), initial_state(lab));
});

test("words of an address that the lab does not know change nothing", () => {
  for (const hash of ["#straggler=0:7", "#nothing=1", "#straggler", "#=0:5", "#straggler=%E0%A4%A", "#x=staleness&y=__proto__", "#log=z", "#&&"]) {
    assert.deepEqual(state_of_hash(lab, hash), initial_state(lab), hash);
  }
  assert.equal(state_of_hash(lab, "#straggler=0:7&latency=1ms").values.latency, "1ms");
});

test("a cell of the grid is named by the values in the order of the sliders", () => {
  assert.equal(grid_key(initial_state(lab).values), "straggler=0:10&latency=10us");
  assert.equal(grid_key(state_of_hash(lab, "#latency=1ms&straggler=0:1").values), "straggler=0:1&latency=1ms");
});

test("a question is of the lab, with how long its runs are and where the sliders stand", () => {
  const question = question_of(lab, {straggler: "0:5", latency: "1ms"});
  assert.deepEqual(question, {lab: "straggler", options: {epochs: "2", straggler: "0:5", latency: "1ms"}});
});

test("a coarse question is of a quarter of the runs", () => {
  const quarter = (options) => coarse_question({schemes: "ring", options})?.options;
  assert.deepEqual(quarter({epochs: "2", latency: "1ms"}), {epochs: "0.5", latency: "1ms"});
  assert.deepEqual(quarter({steps: "10"}), {steps: "3"});
  assert.equal(quarter({latency: "1ms"}), undefined);
  assert.equal(quarter({seconds: "2min"}), undefined);
});

test("losses are above the minimum that the lab's file has", () => {
  const document = {runs: [{label: "a", evaluations: {train_loss: [2, null, 0.75]}}, {label: "b"}], notes: []};
  const {runs} = above_minimum({...lab, show: {...lab.show, minimum: 0.5}}, document);
  assert.deepEqual(runs[0].evaluations, {train_loss: [2, null, 0.75], suboptimality: [1.5, null, 0.25]});
  assert.equal(runs[1].evaluations, undefined);
  assert.equal(above_minimum(lab, document), document);
});

test("what other settings had that these have not", () => {
  assert.equal(difference_words(lab, {straggler: "0:10", latency: "10us"}, {straggler: "0:1", latency: "10us"}), "times slower: 10");
  assert.equal(difference_words(lab, {straggler: "0:10", latency: "10us"}, {straggler: "0:10", latency: "10us"}), "");
});

test("a page's command has the sliders that were moved", () => {
  assert.equal(command_of(lab, {straggler: "0:10", latency: "10us"}), "trainyard compare lab:straggler");
  assert.equal(command_of(lab, {straggler: "0:1", latency: "1ms"}), "trainyard compare lab:straggler --straggler 0:1 --latency 1ms");
  assert.equal(command_of({...lab, sliders: [{...lab.sliders[0], values: ["a b", "c"], value: "c"}]}, {straggler: "a b"}), "trainyard compare lab:straggler --straggler 'a b'");
});

test("where the sliders stand, in words", () => {
  assert.equal(values_words(lab, {straggler: "0:5", latency: "1ms"}), "times slower: 5; a message takes: 1 ms");
});

/** Answers that come when the test says so. */
function fake_server() {
  const requests = [];
  const heard = [];
  let clock = 0;
  const tools = {
    client: "window", now: () => clock,
    pause: (milliseconds) => { heard.push(["pause", milliseconds]); return Promise.resolve(); },
    fetch: (path, request) => new Promise((resolve, reject) => {
      const aborted = () => reject(new Error("aborted"));
      if (request.signal.aborted) return aborted();
      request.signal.addEventListener("abort", aborted);
      requests.push({path, request, body: JSON.parse(request.body),
        answer: async (status, content, retry_after = null) => {
          resolve({status, headers: {get: () => retry_after}, json: () => Promise.resolve(content)});
          await settled();
        }, fail: async () => { reject(new Error("no network")); await settled(); }});
    }),
  };
  const listener = {
    answered: (document, number, is_whole) => heard.push(["answered", document.runs, number, is_whole]),
    refused: (message, option) => heard.push(["refused", message, option]),
    waits: (message) => heard.push(["waits", message]),
  };
  return {requests, heard, asker: make_asker(tools, listener), pass: (milliseconds) => { clock += milliseconds; }};
}

const settled = () => new Promise((done) => { setImmediate(done); });
const question = {schemes: "ring", options: {epochs: "4"}};

test("a question names its window and has a growing number", async () => {
  const {requests, heard, asker} = fake_server();
  asker.ask(question);
  await requests[0].answer(200, {runs: ["a"]});
  asker.ask(question);
  await requests[1].answer(200, {runs: ["b"]});
  assert.deepEqual(requests.map(({path, body}) => [path, body.client, body.question]), [["/api/compare", "window", 1], ["/api/compare", "window", 2]]);
  assert.deepEqual(requests[0].body.options, {epochs: "4"});
  assert.equal(requests[0].request.method, "POST");
  assert.deepEqual(heard, [["answered", ["a"], 1, true], ["answered", ["b"], 2, true]]);
});

test("a newer question ends the older one, whose answer is not heard", async () => {
  const {requests, heard, asker} = fake_server();
  asker.ask(question);
  asker.ask({...question, schemes: "gossip"});
  assert.ok(requests[0].request.signal.aborted);
  await requests[0].answer(200, {runs: ["old"]});
  await requests[1].answer(200, {runs: ["new"]});
  assert.deepEqual(heard, [["answered", ["new"], 2, true]]);
});

test("while answers are slow, the first quarter comes before the whole", async () => {
  const {requests, heard, asker, pass} = fake_server();
  asker.ask(question);
  pass(200);
  await requests[0].answer(200, {runs: []});
  asker.ask(question);
  await requests[1].answer(200, {runs: []});
  pass(100);
  await requests[2].answer(200, {runs: []});
  asker.ask(question);
  await settled();
  assert.deepEqual(requests.map(({body}) => body.options.epochs), ["4", "1", "4", "4"]);
  assert.deepEqual(heard.map(([, , number, is_whole]) => [number, is_whole]), [[1, true], [2, false], [3, true]]);
});

test("who is busy is asked once more, when it says", async () => {
  const {requests, heard, asker} = fake_server();
  asker.ask(question);
  await requests[0].answer(503, {error: "busy"}, "2");
  assert.deepEqual(heard, [["waits", asking_words.busy], ["pause", 2000]]);
  await requests[1].answer(503, {error: "busy: too many questions wait"}, "2");
  assert.equal(requests.length, 2);
  assert.match(heard[2][1], /still busy/);
});

test("who has moved on does not ask again", async () => {
  const {requests, heard, asker} = fake_server();
  asker.ask(question);
  const answered = requests[0].answer(503, {error: "busy"}, "1");
  asker.ask({...question, schemes: "gossip"});
  await answered;
  await requests[1].answer(200, {runs: []});
  assert.deepEqual(requests.map(({body}) => body.schemes), ["ring", "gossip"]);
  assert.equal(heard[heard.length - 1][0], "answered");
});

test("a superseded question is silent; a wrong one says which option", async () => {
  const {requests, heard, asker} = fake_server();
  asker.ask(question);
  await requests[0].answer(409, {error: "superseded"});
  assert.deepEqual(heard, []);
  asker.ask(question);
  await requests[1].answer(400, {error: "--lr: not a number", option: "lr"});
  asker.ask(question);
  await requests[2].fail();
  assert.deepEqual(heard, [["refused", "--lr: not a number", "lr"], ["refused", asking_words.silent, ""]]);
});

test("a grid answers at once, or says that it cannot", () => {
  const heard = [];
  const asker = grid_asker({"straggler=0:1&latency=1ms": {runs: ["a"]}}, {
    answered: (document, number, is_whole) => heard.push([document.runs, number, is_whole]), refused: () => heard.push("refused"), waits: () => {},
  });
  asker.ask({straggler: "0:1", latency: "1ms"});
  asker.ask({straggler: "0:9", latency: "1ms"});
  assert.deepEqual(heard, [[["a"], 1, true], "refused"]);
});

test("links go to the server's pages, and in an export to files", () => {
  assert.equal(lab_href({name: "who talks"}), "/lab/who%20talks");
  assert.equal(lab_href({name: "straggler", href: "straggler.html"}), "straggler.html");
});

const evaluations = {seconds: [0, 1], epoch: [0, 1], train_loss: [2, 1], consensus_distance: [0, 0]};

test("a quantity that no run has gives way to one that is there", () => {
  assert.equal(quantity_of(outcome_quantities, [{evaluations}], "consensus_distance").key, "train_loss");
  assert.equal(quantity_of(progress_quantities, [{evaluations}], "epoch").key, "epoch");
  assert.equal(quantity_of(outcome_quantities, [{}], "epoch").key, "train_loss");
});

const trace = {workers: 2, servers: 1, from: 0, until: 10,
  messages: {from: [0, 1], to: [2, 2], bytes: [8, 8], posted: [1, 1], start: [1, 3], first_bit: [2, 4], end: [3, 5]},
  spans: {rank: [0, 0], activity: ["compute", "transfer"], from: [0, 1], until: [1, 3]}};

test("a target's line is as far above the minimum as the target", () => {
  const of_target = [{target_loss: 1, seed: 1, evaluations: {train_loss: [2], suboptimality: [1.5]}}];
  assert.deepEqual(level_of(of_target, "train_loss"), {y: 1, label: "target"});
  assert.deepEqual(level_of(of_target, "suboptimality"), {y: 0.5, label: "target"});
  assert.equal(level_of(of_target, "consensus_distance"), null);
  assert.equal(level_of([{target_loss: 1, seed: 1, evaluations: {train_loss: [2], suboptimality: null}}], "suboptimality"), null);
});

test("first steps are of the contestant asked for, else of the first that has messages", () => {
  const runs = [{label: "sequential", first_steps: {messages: {from: []}}}, {label: "ring", first_steps: trace}, {label: "gossip", first_steps: trace}];
  assert.equal(run_of_steps(runs, "gossip").label, "gossip");
  assert.equal(run_of_steps(runs, "sequential").label, "ring");
  assert.equal(run_of_steps([{label: "ring", first_steps: null}], "ring"), null);
});

test("moments are the times at which something begins or ends, each once", () => {
  assert.deepEqual(moments_of(trace), [0, 1, 3, 5, 10]);
  assert.deepEqual([[1, 1], [1, -1], [10, 1], [0, -1], [4, 1]].map(([time, direction]) => moment_beside(moments_of(trace), time, direction)), [3, 0, 10, 0, 5]);
});

test("what a rank does at a moment, and what happens then", () => {
  assert.deepEqual([0, 1, 3].map((time) => activity_at(trace, 0, time)), ["compute", "transfer", ""]);
  assert.equal(moment_words(trace, 3), "Arrives: worker 0 to server. Starts: worker 1 to server.");
  assert.equal(moment_words(trace, 4), "");
  const pipeline = {...trace, carries: "microbatch", messages: {...trace.messages, carried: [2, null]}};
  assert.equal(moment_words(pipeline, 3), "Arrives: worker 0 to server with microbatch 2. Starts: worker 1 to server.");
});
