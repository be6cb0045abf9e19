import { clear, settle } from "./page.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const { Mood, Outbox } = await import("../../src/regauge/server/static/outbox.js");

/** What the server got: address and body. */
const sent = [];
/** What it says next; 200 when there is nothing here. */
const statuses = [];

globalThis.fetch = async (address, { body }) => {
  const status = statuses.shift() ?? 200;
  if (status === 0) throw new TypeError("no network");
  if (status === 200 && body) sent.push([address, JSON.parse(body)]);
  const reply = { status, ok: status < 400, headers: new Headers(), json: async () => ({ detail: `said ${status}`, study: "s1", id: 7 }) };
  return { ...reply, clone: () => reply };
};

beforeEach(() => {
  clear();
  sent.length = 0;
  statuses.length = 0;
});

const ANSWER = { campaign: 1, assignmentId: "a1", answer: { mask: "3" }, seconds: 2.5, revision: 0 };
const OLD = { client_id: "c1", assignment_id: "a1", answer: { mask: "3" }, seconds: 2.5, revision: 0, campaign: 1, at: 5 };
const SENT = { client_id: "c1", assignment_id: "a1", answer: { mask: "3" }, seconds: 2.5, revision: 0 };
const keep = (key, entry) => localStorage.setItem(key, JSON.stringify(entry));

test("an answer goes to the answers, and is struck out when the server has it", async () => {
  const outbox = new Outbox();
  outbox.put(ANSWER);
  assert.equal(outbox.waiting.length, 1);
  assert.equal(outbox.has("a1"), true);
  await settle();
  const [[address, body]] = sent;
  assert.equal(address, "/api/answers");
  assert.deepEqual({ ...body, client_id: "c1" }, SENT);
  assert.deepEqual([localStorage.length, outbox.mood], [0, Mood.SAVED]);
});

test("anything else goes to its own address, in the order in which it was written", async () => {
  const outbox = new Outbox();
  statuses.push(0);
  outbox.post("/api/comments", { text: "Two objects?" });
  await settle();
  assert.deepEqual([outbox.waiting.length, outbox.mood], [1, Mood.OFFLINE]);
  outbox.put(ANSWER);
  await settle();
  assert.deepEqual(sent.map(([address]) => address), ["/api/comments", "/api/answers"]);
  assert.deepEqual(Object.keys(sent[0][1]).sort(), ["client_id", "text"]);
});

test("a server that answers is not called offline, whatever is wrong with it", async () => {
  for (const [status, mood] of [[429, Mood.TOO_FAST], [500, Mood.NOT_STORING], [502, Mood.NOT_STORING], [503, Mood.NOT_STORING]]) {
    const outbox = new Outbox();
    statuses.push(status);
    outbox.put(ANSWER);
    await settle();
    assert.deepEqual([outbox.waiting.length, outbox.mood], [1, mood]);
    await outbox.flush();
    assert.deepEqual([outbox.waiting.length, outbox.mood], [0, Mood.SAVED]);
  }
});

test("what an earlier version wrote down, which knew one address, is still sent", async () => {
  keep("regauge.answer.s1.7.c1", OLD);
  keep("regauge.outbox.ada.c2", { ...OLD, client_id: "c2" });
  await new Outbox().flush();
  assert.deepEqual(sent, [["/api/answers", SENT], ["/api/answers", { ...SENT, client_id: "c2" }]]);
  assert.equal(localStorage.length, 0);
});

test("pages of an earlier version that are still open find their answers as they were, and nothing else", async () => {
  const outbox = new Outbox();
  statuses.push(0, 0);
  outbox.put(ANSWER);
  outbox.post("/api/comments", { text: "?" });
  await settle();
  const keys = Object.keys(localStorage).sort();
  assert.deepEqual(keys.map((key) => key.split(".")[1]), ["answer", "entry"]);
  const { client_id, at, ...rest } = JSON.parse(localStorage.getItem(keys[0]));
  assert.deepEqual(rest, { assignment_id: "a1", answer: { mask: "3" }, seconds: 2.5, revision: 0, campaign: 1 });
  assert.ok(client_id && at);
});

test("nothing in a browser makes it send to another server", async () => {
  for (const address of ["https://elsewhere.test/api/", "//elsewhere.test", "/manage"]) {
    clear();
    keep("regauge.entry.s1.7.c1", { client_id: "c1", at: 5, address, body: {} });
    keep("regauge.answer.s1.7.c2", { ...OLD, client_id: "c2", address });
    const outbox = new Outbox();
    await outbox.flush();
    assert.deepEqual([sent, outbox.nAside], [[], 2]);
  }
});

test("what the server refuses is kept with its words until somebody has read them", async () => {
  const outbox = new Outbox();
  statuses.push(409);
  outbox.post("/api/comments", { text: "?" });
  await settle();
  assert.deepEqual(outbox.refused.map(({ refusal, address }) => [refusal, address]), [["said 409", "/api/comments"]]);
  outbox.dismiss();
  assert.equal(localStorage.length, 0);
});

/** Do something while nothing can be written down. */
async function withoutRoom(doing) {
  const room = localStorage;
  const refuse = () => {
    throw new Error("full");
  };
  const full = new Proxy(room, { get: (_, name) => (name === "setItem" ? refuse : room[name]) });
  Object.defineProperty(window, "localStorage", { value: full, configurable: true });
  try {
    await doing();
  } finally {
    Object.defineProperty(window, "localStorage", { value: room, configurable: true });
  }
}

/** Write a comment down where there is no network. */
async function comment(outbox) {
  statuses.push(0);
  outbox.post("/api/comments", { text: "?" });
  await settle();
}

test("where nothing can be written down, the tab keeps it", async () => {
  const outbox = new Outbox();
  await withoutRoom(async () => {
    await comment(outbox);
    assert.deepEqual([outbox.waiting.length, localStorage.length], [1, 0]);
    await outbox.flush();
  });
  assert.deepEqual([sent.length, outbox.waiting.length], [1, 0]);
});

test("what is refused is sent once and told once, also where there was no room for it before", async () => {
  const outbox = new Outbox();
  await withoutRoom(() => comment(outbox));
  statuses.push(409);
  await outbox.flush();
  assert.deepEqual([sent.length, outbox.waiting.length, outbox.refused.length], [0, 0, 1]);
  outbox.dismiss();
  assert.deepEqual([outbox.refused.length, localStorage.length], [0, 0]);
});

test("what is refused is sent once and told once, also where there is no room for the words", async () => {
  const outbox = new Outbox();
  await comment(outbox);
  statuses.push(409);
  await withoutRoom(() => outbox.flush());
  assert.deepEqual([sent.length, outbox.waiting.length, outbox.refused.length], [0, 0, 1]);
  outbox.dismiss();
  assert.deepEqual([outbox.refused.length, localStorage.length], [0, 0]);
});
