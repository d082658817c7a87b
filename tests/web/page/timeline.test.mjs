import assert from "node:assert/strict";
import test from "node:test";

import { message_words, messages_under_way, rank_name, timeline_sentences, trace_columns, trace_of_timeline } from "../../../src/web/page/message_timeline.js";

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
  assert.equal(rank_name({...trace, roles_unknown: true}, 2), "rank 2");
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

const message = {from: 3, to: 1, bytes: 8, posted: 0, start: 0, first_bit: 1, end: 2};

test("a timeline's messages as columns, with as many ranks as they name", () => {
  const made = trace_of_timeline({makespan: 4, messages: [message, {...message, from: 0, posted: 1, start: 2}]});
  assert.deepEqual([made.workers, made.servers, made.until, made.roles_unknown], [4, 0, 4, true]);
  assert.deepEqual(made.messages.start, [0, 2]);
  assert.deepEqual(made.messages.from, [3, 0]);
});

test("a timeline in a sentence: how many, how long, how many wait", () => {
  assert.deepEqual(timeline_sentences({makespan: 4, messages: [message]}),
    ["1 message takes 4 s in all, from the first moment to the last bit. None has to wait for a port."]);
  assert.match(timeline_sentences({makespan: 4, messages: [message, {...message, start: 1}]})[0], /^2 messages take 4 s .* 1 of them has to wait for a port first\.$/);
  assert.deepEqual(timeline_sentences({makespan: 0, messages: []}), ["There are no messages."]);
});
