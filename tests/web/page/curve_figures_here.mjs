// What the page finds as a global: the program's table of a curve's figures, read from its source.

import { readFileSync } from "node:fs";

globalThis.table_words = {schemes: {ring: "all-reduce of gradients around a ring"}, figures: {"staleness.mean": "mean number of others' updates"},
  families: [{name: "synchronous", words: "everybody waits", schemes: ["ring", "ps-sync"]}, {name: "asynchronous", words: "nobody waits", schemes: ["ps-async"]},
    {name: "decentralised", words: "neighbours in a graph", schemes: ["gossip"]}]};

const source = readFileSync(new URL("../../../src/run/curve_figures.cpp", import.meta.url), "utf8");

globalThis.curve_figures = [...source.matchAll(/\{\.key = "(\w+)",([^{}]*)\}/g)].flatMap(([, key, rest]) => {
  const word = (name) => new RegExp(`\\.${name} = "?([^",]*)`).exec(rest)?.[1];
  const axis = word("axis");
  return axis ? [{key, axis, label: /\.label = "([^"]*)"/.exec(rest)[1], format: word("format") ?? "significant"}] : [];
});
