import { clear, press, settle } from "./page.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const { Thread } = await import("../../src/regauge/server/static/parts/thread.js");
const { make } = await import("../../src/regauge/server/static/dom.js");

const SAID = [
  { who: "ada", at: "2026-01-02T03:04:05Z", text: "Is this <b>one</b> object?" },
  { who: "bob", at: "2026-01-02T04:04:05Z", text: "Two." },
];

beforeEach(clear);

function show(options = {}) {
  const element = document.body.appendChild(make("section"));
  const thread = new Thread(element, options);
  thread.show(SAID);
  const field = element.querySelector("textarea");
  const type = (text) => {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  return { thread, element, field, type, list: () => [...element.querySelectorAll("li .text")].map((one) => one.textContent) };
}

test("comments stand in their order, as text", () => {
  const { element, list } = show();
  assert.deepEqual(list(), SAID.map(({ text }) => text));
  assert.equal(element.querySelector("li .text b"), null);
  assert.equal(element.querySelector("time").getAttribute("datetime"), SAID[0].at);
  assert.equal(element.querySelector("textarea"), null);
});

test("where nobody has said anything, that is said", () => {
  const { thread, element } = show();
  const nothing = [...element.children].find((one) => one.localName === "p");
  assert.equal(nothing.hidden, true);
  thread.show([]);
  assert.equal(nothing.hidden, false);
});

test("a comment is sent by Ctrl and Enter, and joins the others", async () => {
  const { field, type, list } = show({ send: async (text) => ({ who: "me", at: SAID[0].at, text }) });
  type("  Three. ");
  press("Enter", { on: field });
  assert.equal(list().length, 2);
  press("Enter", { on: field, ctrlKey: true });
  await settle();
  assert.deepEqual(list().at(-1), "Three.");
  assert.equal(field.value, "");
});

test("nothing is sent where nothing is written", async () => {
  const { field, type, list } = show({ send: async () => assert.fail("sent") });
  type("   ");
  press("Enter", { on: field, ctrlKey: true });
  await settle();
  assert.equal(list().length, 2);
});

test("what cannot be sent stays, is said, and outlives the page", async () => {
  const send = async () => {
    throw new Error("The server cannot be reached.");
  };
  const { element, field, type } = show({ send, draftKey: "regauge.comment.1" });
  type("Three.");
  press("Enter", { on: field, ctrlKey: true });
  await settle();
  assert.deepEqual([field.value, element.querySelector("[role=alert]").textContent], ["Three.", "The server cannot be reached."]);
  assert.equal(show({ send, draftKey: "regauge.comment.1" }).field.value, "Three.");
  type("");
  assert.equal(localStorage.getItem("regauge.comment.1"), null);
});
