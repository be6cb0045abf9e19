import assert from "node:assert/strict";
import { test } from "node:test";

const { Undo } = await import("../../src/regauge/server/static/parts/undo.js");

/** A row of lamps that can be switched, with undo. */
function makeLamps() {
  const lit = new Set();
  const undo = new Undo();
  const toggle = (lamp) => {
    if (!lit.delete(lamp)) lit.add(lamp);
    undo.note(lamp, () => toggle(lamp));
  };
  return { lit, undo, toggle };
}

test("steps are taken back one after the other, and taking back is not a step", () => {
  const { lit, undo, toggle } = makeLamps();
  for (const lamp of [1, 2, 1]) toggle(lamp);
  const seen = [];
  while (undo.undo()) seen.push([...lit]);
  assert.deepEqual(seen, [[2, 1], [1], []]);
  assert.equal(undo.undo(), false);
});

test("steps that undid each other, or were taken back by other means, are forgotten", () => {
  const { lit, undo, toggle } = makeLamps();
  for (const lamp of [1, 2, 2]) toggle(lamp);
  undo.forgetLast(2);
  toggle(3);
  undo.forgetAbout(3);
  assert.equal(undo.undo(), true);
  assert.deepEqual([...lit], [3]);
  assert.equal(undo.undo(), false);
  toggle(4);
  undo.clear();
  assert.equal(undo.undo(), false);
});

test("a step that fails leaves the others", () => {
  const undo = new Undo();
  undo.note(1, () => {});
  undo.note(2, () => {
    throw new Error("no");
  });
  assert.throws(() => undo.undo());
  undo.note(3, () => {});
  assert.equal(undo.undo() && undo.undo(), true);
});
