import assert from "node:assert/strict";
import test from "node:test";

import { notes_list, parts_of_note } from "../../../src/web/page/notes.js";

test("a note has a kind, whom it is about, and what it says", () => {
  assert.deepEqual(parts_of_note({about: "ring; gossip", text: "warning: late: very"}), {kind: "Warning", about: "ring; gossip", what: "late: very"});
  assert.deepEqual(parts_of_note({about: "", text: "note: it is hogwild"}), {kind: "Note", about: "", what: "it is hogwild"});
  assert.deepEqual(parts_of_note({about: "", text: "as it is"}), {kind: "Note", about: "", what: "as it is"});
});

test("without notes there is no list", () => {
  assert.deepEqual(notes_list([]), []);
  assert.deepEqual(notes_list(undefined), []);
});
