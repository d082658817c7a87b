// The page's modules are put one after the other at build time; what that needs of them.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

const folder = new URL("../../../src/web/page/", import.meta.url);
const modules = readdirSync(folder).filter((name) => name.endsWith(".js"))
  .map((name) => ({name, text: readFileSync(new URL(name, folder), "utf8")}));

test("there are modules", () => {
  assert.ok(modules.some(({name}) => name === "main.js"));
});

test("a page has every module, each after those that it uses", () => {
  const list = readFileSync(new URL("../../../cmake/web_parts.cmake", import.meta.url), "utf8");
  const order = /set\(TRAINYARD_PAGE_MODULES([^)]*)\)/.exec(list)[1].trim().split(/\s+/);
  assert.deepEqual([...order].sort(), modules.map(({name}) => name.replace(".js", "")).sort());
  for (const {name, text} of modules) {
    for (const [, used] of text.matchAll(/^import .* from "\.\/(\w+)\.js";$/gm)) {
      assert.ok(order.indexOf(used) < order.indexOf(name.replace(".js", "")), `${name} comes before ${used}`);
    }
  }
});

test("every import is of names, from a module here, on one line", () => {
  for (const {name, text} of modules) {
    for (const line of text.split("\n").filter((one) => one.startsWith("import"))) {
      assert.match(line, /^import \{ \w+(, \w+)* \} from "\.\/\w+\.js";$/, `${name}: ${line}`);
    }
    const code = text.replaceAll(/\/\*\*[^]*?\*\//g, "");
    assert.doesNotMatch(code, /\bimport\(/, `${name} imports while it runs`);
  }
});

test("exports are names of declarations", () => {
  for (const {name, text} of modules) {
    for (const line of text.split("\n").filter((one) => /^export\b/.test(one))) {
      assert.match(line, /^export (async function|function|const|let|class) \w+/, `${name}: ${line}`);
    }
  }
});

test("a name at the top is declared in one module only", () => {
  const owners = new Map();
  for (const {name, text} of modules) {
    for (const [, declared] of text.matchAll(/^(?:export )?(?:async function|function|const|let|class) (\w+)/gm)) {
      assert.ok(!owners.has(declared), `${declared} is in ${owners.get(declared)} and in ${name}`);
      owners.set(declared, name);
    }
  }
});

test("no module is longer than 400 lines", () => {
  for (const {name, text} of modules) assert.ok(text.split("\n").length <= 400, name);
});
