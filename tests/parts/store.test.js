import "./page.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { Store, browserStore, parse } = await import("../../src/regauge/server/static/parts/store.js");

const refused = new Store(() => {
  throw new Error("this frame may store nothing");
});

/** Storage with room for so many entries. */
function makeFull(room) {
  const kept = new Map();
  const setItem = (key, text) => {
    if (!kept.has(key) && kept.size >= room) throw new Error("QuotaExceededError");
    kept.set(key, text);
  };
  const area = { getItem: (key) => kept.get(key) ?? null, setItem, removeItem: (key) => kept.delete(key) };
  return new Store(() => area);
}

test("what was written can be read, listed, moved and removed", () => {
  assert.equal(browserStore.write("a.1", "one"), true);
  assert.equal(browserStore.writeData("a.2", { n: 2 }), true);
  assert.equal(browserStore.read("a.1"), "one");
  assert.deepEqual(browserStore.readData("a.2"), { n: 2 });
  assert.deepEqual(browserStore.list("a.").sort(), ["a.1", "a.2"]);
  browserStore.move("a.1", "b.1");
  assert.deepEqual([browserStore.read("a.1"), browserStore.read("b.1")], [null, "one"]);
  browserStore.move("a.1", "b.1");
  assert.equal(browserStore.read("b.1"), "one");
  browserStore.remove("b.1");
  assert.equal(browserStore.read("b.1"), null);
});

test("storage that may not even be looked at is as if it were empty", () => {
  assert.equal(refused.read("a"), null);
  assert.equal(refused.readData("a"), null);
  assert.equal(refused.write("a", "b"), false);
  assert.deepEqual(refused.list(""), []);
  refused.remove("a");
  refused.move("a", "b");
});

test("what does not fit is told, and what is moved in full storage is not lost", () => {
  const full = makeFull(1);
  assert.equal(full.write("a", "one"), true);
  assert.equal(full.write("b", "two"), false);
  full.move("a", "c");
  assert.equal(full.read("c"), "one");
});

test("what is not JSON is nothing", () => {
  browserStore.write("broken", "{");
  assert.equal(browserStore.readData("broken"), null);
  assert.equal(parse(null), null);
  assert.equal(parse("3"), 3);
});
