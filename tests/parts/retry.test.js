import "./page.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { Pauses, insist } = await import("../../src/regauge/server/static/parts/retry.js");

const NEVER = { isFinal: () => false };

test("pauses double up to a limit, by a quarter more or less, and begin anew", () => {
  const pauses = new Pauses({ first: 100, longest: 350 });
  for (const expected of [100, 200, 350, 350]) {
    const pause = pauses.take();
    assert.ok(0.75 * expected <= pause && pause <= 1.25 * expected, `${pause} for ${expected}`);
  }
  pauses.reset();
  assert.ok(pauses.take() <= 125);
});

test("it is asked until there is an answer, and told each time that there was none", async () => {
  let n = 0;
  const heard = [];
  const ask = async () => {
    n += 1;
    if (n < 3) throw new Error(`no ${n}`);
    return "yes";
  };
  const pauses = new Pauses({ first: 0, longest: 0 });
  assert.equal(await insist(ask, { ...NEVER, heldUp: (error) => heard.push(error.message), pauses }), "yes");
  assert.deepEqual(heard, ["no 1", "no 2"]);
});

test("what is final is raised at once", async () => {
  let n = 0;
  const ask = async () => {
    n += 1;
    throw new Error("refused");
  };
  await assert.rejects(insist(ask, { isFinal: () => true }), /refused/);
  assert.equal(n, 1);
});
