import { clear, press, settle } from "./page.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const { ReasonDialog } = await import("../../src/regauge/server/static/parts/reason_dialog.js");

beforeEach(clear);

const find = (selector) => document.querySelector(`dialog[open] ${selector}`);

/** Ask with a dialog; gives what was done, and what is told at the end. */
function ask(options = {}, question = {}, doing = async () => {}) {
  const dialog = new ReasonDialog(options);
  const reasons = [];
  const told = dialog.ask({ title: "Drop ada?", action: "Drop", ...question }, async (reason, say) => {
    reasons.push(reason);
    await doing(reason, say);
  });
  return { dialog, reasons, told };
}

test("a reason is needed, and then it is done and the dialog closes", async () => {
  const { dialog, reasons, told } = ask();
  find("form").requestSubmit();
  assert.match(find(".mistake").textContent, /Say why/);
  assert.deepEqual(reasons, []);
  find("textarea").value = "  too fast ";
  find("form").requestSubmit();
  assert.equal(await told, true);
  assert.deepEqual([reasons, dialog.isOpen], [["too fast"], false]);
});

test("where none is needed, none has to be given", async () => {
  const { reasons, told } = ask({}, { isNeeded: false, isDangerous: true });
  assert.equal(find("button[type=submit]").className, "danger");
  find("form").requestSubmit();
  assert.equal(await told, true);
  assert.deepEqual(reasons, [""]);
});

test("whoever cancels does nothing", async () => {
  const { reasons, told } = ask();
  find(".actions button").click();
  assert.equal(await told, false);
  assert.deepEqual(reasons, []);
});

test("what fails is said, the words stay, and it can be tried again", async () => {
  let isBroken = true;
  const { told, dialog } = ask({}, { reason: "slow" }, async () => {
    if (isBroken) throw new Error("The server cannot be reached.");
  });
  find("form").requestSubmit();
  await settle();
  assert.equal(find(".mistake").textContent, "The server cannot be reached.");
  assert.deepEqual([find("textarea").value, find("button[type=submit]").disabled, dialog.isOpen], ["slow", false, true]);
  isBroken = false;
  find("form").requestSubmit();
  assert.equal(await told, true);
});

test("a preset is chosen by a click or by its number, but not while words are typed", async () => {
  const presets = ["wrong class", "near-duplicate"];
  const first = ask({ presets });
  assert.equal(document.activeElement.textContent, "1 Wrong class");
  press("2");
  assert.equal(await first.told, true);
  assert.deepEqual(first.reasons, ["near-duplicate"]);
  clear();
  const second = ask({ presets });
  press("1", { on: find("input") });
  find(".presets button").click();
  assert.equal(await second.told, true);
  assert.deepEqual(second.reasons, ["wrong class"]);
});

test("what is being done can say how far it is", async () => {
  let go = () => {};
  const { told } = ask({}, { reason: "x" }, (_, say) => {
    say("3 of 9 images");
    return new Promise((resolve) => (go = resolve));
  });
  find("form").requestSubmit();
  await settle();
  assert.equal(find(".mistake").textContent, "3 of 9 images");
  go();
  assert.equal(await told, true);
});

test("the key that opened the dialog, held down a little, chooses no reason", async () => {
  const { reasons, dialog } = ask({ presets: ["wrong class"] });
  press("1", { repeat: true });
  await settle();
  assert.deepEqual([reasons, dialog.isOpen], [[], true]);
});

test("whoever closes it while something is being done is told how that ended", async () => {
  let go = () => {};
  const { dialog, told } = ask({}, { reason: "x" }, () => new Promise((resolve) => (go = resolve)));
  find("form").requestSubmit();
  await settle();
  find(".actions button").click();
  assert.equal(dialog.isOpen, false);
  go();
  assert.equal(await told, true);
});

test("what ends late neither answers nor closes the next question", async () => {
  const ends = [];
  const { dialog, told, reasons } = ask({}, { reason: "x" }, () => new Promise((resolve, reject) => ends.push({ resolve, reject })));
  find("form").requestSubmit();
  await settle();
  find(".actions button").click();
  const other = dialog.ask({ title: "Drop bo?", action: "Drop" }, async (reason) => reasons.push(reason));
  ends[0].reject(new Error("too late"));
  assert.equal(await told, false);
  assert.deepEqual([dialog.isOpen, find(".mistake").textContent, find("button[type=submit]").disabled], [true, "", false]);
  find("textarea").value = "y";
  find("form").requestSubmit();
  assert.equal(await other, true);
  assert.deepEqual(reasons, ["x", "y"]);
});
