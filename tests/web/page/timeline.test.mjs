import assert from "node:assert/strict";
import test from "node:test";

import { message_words, messages_under_way, rank_name, short_rank_name, timeline_sentences, trace_columns, trace_of_timeline } from "../../../src/web/page/message_timeline.js";
import { carried_words, message_color, message_groups } from "../../../src/web/page/microbatches.js";
import { color_of } from "../../../src/web/page/palette.js";

/** One message: latency from 1 to 3, bits from 3 to 7. */
const trace = {workers: 2, servers: 1, from: 0, until: 10,
  messages: {from: [0], to: [2], bytes: [1000], posted: [0.5], start: [1], first_bit: [3], end: [7]},
  spans: {rank: [1], activity: ["compute"], from: [0], until: [2]}};

const way_at = (time) => messages_under_way(trace, time)[0];

test("under way from its start until its last bit, and no longer", () => {
  assert.deepEqual([0.9, 1, 6.9, 7].map((time) => messages_under_way(trace, time).length), [0, 1, 1, 0]);
});

test("first its latency passes, then its bits arrive", () => {
  assert.deepEqual([1, 2, 3, 5].map((time) => way_at(time).latency), [0, 0.5, 1, 1]);
  assert.deepEqual([1, 2, 3, 5].map((time) => way_at(time).bits), [0, 0, 0, 0.5]);
});

test("its head leaves with the first bit, its tail with the last", () => {
  assert.deepEqual([2, 4, 6].map((time) => way_at(time).head), [0.5, 1, 1]);
  assert.deepEqual([2, 4, 5, 6].map((time) => way_at(time).tail), [0, 0, 0, 0.5]);
});

test("it is known by its place and its ends", () => {
  const {message, from, to} = way_at(2);
  assert.deepEqual([message, from, to], [0, 0, 2]);
});

test("without latency or without bits nothing is divided by zero", () => {
  const at = (first_bit, end, time) => messages_under_way({...trace, messages: {...trace.messages, first_bit: [first_bit], end: [end]}}, time)[0];
  assert.deepEqual([at(1, 3, 2).latency, at(1, 3, 2).bits, at(1, 3, 2).tail], [1, 0.5, 0]);
  assert.deepEqual([at(3, 3, 2).latency, at(3, 3, 2).bits, at(3, 3, 2).tail], [0.5, 0, 0.5]);
});

test("ranks by their role, where that is known", () => {
  assert.deepEqual([1, 2].map((rank) => rank_name(trace, rank)), ["worker 1", "server"]);
  assert.equal(rank_name({...trace, servers: 2}, 3), "server 1");
  const named = {...trace, names: ["M1", "worker 3", "rank 2"]};
  assert.deepEqual([0, 1, 2].map((rank) => rank_name(named, rank)), ["M1", "worker 3", "rank 2"]);
  assert.deepEqual([0, 1, 2].map((rank) => short_rank_name(named, rank)), ["M1", "w3", "r2"]);
  assert.deepEqual([1, 2].map((rank) => short_rank_name(trace, rank)), ["w1", "s"]);
});

test("a message in words says how long it waited for its ports", () => {
  assert.equal(message_words(trace, 0), "worker 0 to server, 1 kB: starts at 1 s, after 500 ms of waiting for its ports, first bit there at 3 s, last at 7 s");
  const at_once = {...trace, messages: {...trace.messages, posted: [1]}};
  assert.equal(message_words(at_once, 0), "worker 0 to server, 1 kB: starts at 1 s, first bit there at 3 s, last at 7 s");
});

test("the data has every message and every span", () => {
  const columns = trace_columns(trace);
  assert.deepEqual(columns.map(({values}) => values[0]), ["message", "worker 0", "server", 1000, 0.5, 1, 3, 7]);
  assert.deepEqual(columns.map(({values}) => values[1]), ["compute", "worker 1", null, null, null, 0, null, 2]);
});

/** Of a pipeline: messages that carry these, and null where one carries nothing. */
const pipeline = (carried) => ({...trace, carries: "microbatch", messages: {...trace.messages, carried, from: carried.map(() => 0)}});

test("a message of a pipeline says which microbatch it carries", () => {
  assert.match(message_words(pipeline([2]), 0), /^worker 0 to server, 1 kB of microbatch 2: starts at 1 s/);
  assert.deepEqual([0, 1].map((at) => carried_words(pipeline([0, null]), at)), ["microbatch 0", ""]);
  assert.deepEqual([0, 1].map((at) => message_color(pipeline([3, null]), at, "red")), [color_of(3), "red"]);
  assert.equal(carried_words(trace, 0), "");
  const columns = trace_columns(pipeline([2]));
  assert.deepEqual(columns[4], {heading: "microbatch", values: [2, null]});
});

test("a legend has each microbatch, or all in one where there are more than colours", () => {
  const groups = message_groups(pipeline([1, 0, 1, null]));
  assert.deepEqual(groups.map(({name, messages}) => [name, [...messages]]), [["microbatch 0", [1]], ["microbatch 1", [0, 2]], ["other messages", [3]]]);
  assert.equal(groups[1].color, color_of(1));
  assert.deepEqual(message_groups(trace).map(({name, messages}) => [name, [...messages]]), [["messages", [0]]]);
  const many = message_groups(pipeline(Array.from({length: 8}, (_, at) => at)));
  assert.deepEqual(many.map(({name, messages}) => [name, messages.size]), [["messages, in the colour and with the number of their microbatch", 8]]);
});

test("a late message in words has the digits that tell its moments apart", () => {
  const late = {...trace, from: 99_999, until: 100_009, messages: {from: [0], to: [2], bytes: [1000], posted: [100_000], start: [100_000],
    first_bit: [100_001.5], end: [100_001.505]}};
  assert.match(message_words(late, 0), /starts at 100000 s, first bit there at 100001\.5 s, last at 100001\.505 s$/);
});

const message = {from: 3, to: 1, bytes: 8, posted: 5, start: 5, first_bit: 6, end: 8};
const document = (messages, more = {}) => ({from: 5, makespan: 3, ranks: ["M1", "M2", "M3", "M4"], messages, ...more});

test("a timeline's messages as columns, from when it begins until all is done", () => {
  const made = trace_of_timeline(document([message, {...message, from: 0, posted: 6, start: 7}], {makespan: 4}));
  assert.deepEqual([made.workers, made.servers, made.from, made.until], [4, 0, 5, 9]);
  assert.deepEqual(made.messages.start, [5, 7]);
  assert.deepEqual(made.messages.from, [3, 0]);
  assert.equal(rank_name(made, 3), "M4");
  assert.equal(made.carries, undefined);
});

test("a pipeline's timeline says what its messages carry", () => {
  const made = trace_of_timeline(document([{...message, minibatch: 0}, message, {...message, minibatch: 1}]));
  assert.equal(made.carries, "minibatch");
  assert.deepEqual(made.messages.carried, [0, null, 1]);
});

test("a timeline in a sentence: how many, from when to when, how many wait", () => {
  assert.deepEqual(timeline_sentences(document([message])),
    ["1 message between 4 ranks: from 5 s, when the first is sent off, to 8 s, when the last bit is there, 3 s. It does not have to wait for a port."]);
  assert.match(timeline_sentences(document([message, {...message, start: 5.5}]))[0],
    /^2 messages between 4 ranks: from 5 s, .* to 8 s, .*, 3 s\. 1 of them has to wait for a port first\.$/);
  assert.deepEqual(timeline_sentences(document([], {from: 0, makespan: 0})), ["There are no messages; all is done after 0 s."]);
});

test("what is computed is no part of the messages' time", () => {
  assert.match(timeline_sentences(document([message], {from: 0, makespan: 9}))[0],
    /from 5 s, .* to 8 s, .*, 3 s\. .* With what is computed before and after it all takes 9 s\.$/);
});

test("a late timeline's moments are told apart", () => {
  const late = {...message, posted: 100_000, start: 100_000, first_bit: 100_001, end: 100_003};
  assert.match(timeline_sentences(document([late], {from: 100_000}))[0], /from 100000 s, .* to 100003 s, .*, 3 s\./);
});
