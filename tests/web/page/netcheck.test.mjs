import assert from "node:assert/strict";
import test from "node:test";

import { netcheck_sentences, netcheck_setting } from "../../../src/web/page/netcheck_page.js";

const row = (collective, measured_s, ratio) => ({collective, workers: 8, measured_s, ratio});

test("all that agree, and the fastest", () => {
  assert.deepEqual(netcheck_sentences({rows: [row("tree", 0.05, 1), row("ring", 0.016, 1)]}), [
    "All 2 collectives take what their closed forms say, to six digits.",
    "ring is the fastest among 8 workers: 16 ms.",
  ]);
});

test("those that are alike are all the fastest", () => {
  const second = (...rows) => netcheck_sentences({rows})[1];
  assert.equal(second(row("tree", 0.05, 1), row("ring", 0.016, 1), row("by-size", 0.016, 1)), "ring and by-size are the fastest among 8 workers: 16 ms.");
  assert.equal(second(row("tree", 0, 1), row("ring", 0, 1)), "All are as fast among 8 workers: 0 s.");
});

test("a single one is compared with nothing but its form", () => {
  assert.deepEqual(netcheck_sentences({rows: [row("ring", 0.016, 1)]}), ["ring takes 16 ms among 8 workers: what its closed form says, to six digits."]);
  assert.deepEqual(netcheck_sentences({rows: [{...row("ring", 0.016, 1.5), workers: 1}]}), ["ring takes 16 ms among 1 worker: 1.5 times what its closed form says."]);
});

test("the one that is furthest off, in either direction", () => {
  const off = netcheck_sentences({rows: [row("tree", 0.05, 1.1), row("ring", 0.016, 0.8)]});
  assert.equal(off[0], "Of 2 collectives ring is furthest from its closed form: it takes 0.8 times as long.");
});

test("what all rows are for", () => {
  const setting = {latency_s: 1e-4, bandwidth_bytes_per_s: 125e6, ports: "cutthrough", servers: 1, bytes: 1e6, repetitions: null};
  assert.equal(netcheck_setting(setting),
    "1 MB a vector, 100 µs a message, 1 Gbit/s, ports cutthrough; 1 server or 1 group where a collective has any; simulated.");
  assert.match(netcheck_setting({...setting, repetitions: 1}), /; really waited for, once\.$/);
  assert.match(netcheck_setting({...setting, repetitions: 20}), /; really waited for, 20 times\.$/);
});
