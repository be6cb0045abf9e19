import { clear, press, settle } from "./page.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const { ImageViewer } = await import("../../src/regauge/server/static/parts/image_viewer.js");
const { fetchPicture } = await import("../../src/regauge/server/static/pictures.js");

/** Larger copies that were asked for, each with what makes it come. */
let coming = [];
Image.prototype.decode = function decode() {
  return new Promise((resolve, reject) => coming.push({ address: this.getAttribute("src"), resolve, reject }));
};

beforeEach(() => {
  clear();
  coming = [];
});

const picture = (name) => fetchPicture(`/images/${name}/0`, "");
const room = () => document.querySelector("dialog[open] .zoom-room");
const getSource = () => room().querySelector("img").getAttribute("src");

test("what the page has is shown at once, and the larger copy when it has come", async () => {
  const viewer = new ImageViewer();
  viewer.show(picture("a"), { name: "Image 1 of 8" });
  assert.match(getSource(), /\/images\/a\/0$/);
  assert.equal(room().querySelector("img").alt, "Image 1 of 8");
  coming[0].resolve();
  await settle();
  assert.match(getSource(), /\/images\/a\/0\?side=1024$/);
});

test("a copy that comes late, or not at all, changes nothing", async () => {
  const viewer = new ImageViewer();
  viewer.show(picture("a"));
  viewer.show(picture("b"));
  coming[0].resolve();
  coming[1].reject(new Error("no"));
  await settle();
  assert.match(getSource(), /\/images\/b\/0$/);
});

test("keys make it larger and smaller; arrows then move it instead of going on", () => {
  const gone = [];
  const viewer = new ImageViewer({ go: (step) => gone.push(step) });
  viewer.show(picture("a"));
  const scale = () => room().dataset.scale;
  for (const key of ["ArrowRight", "+", "=", "ArrowRight"]) press(key, { on: room() });
  assert.deepEqual([scale(), gone], ["2", [1]]);
  for (const key of ["+", "+", "+", "+"]) press(key, { on: room() });
  assert.equal(scale(), "4");
  press("-", { on: room() });
  assert.equal(scale(), "3");
  press("0", { on: room() });
  press("ArrowLeft", { on: room() });
  assert.deepEqual([scale(), gone], ["0", [1, -1]]);
});

test("a selection keeps the size, another image begins anew", () => {
  const viewer = new ImageViewer({ toggle: () => viewer.show(shown, { isSelected: true }) });
  const shown = picture("a");
  viewer.show(shown);
  press("+", { on: room() });
  press(" ", { on: room() });
  assert.equal(document.querySelector("dialog[open] [aria-pressed]").textContent, "✓ Selected");
  assert.equal(room().dataset.scale, "1");
  viewer.show(picture("b"));
  assert.equal(room().dataset.scale, "0");
});

test("a page can have several, and z closes the one that is open", () => {
  let nClosed = 0;
  const first = new ImageViewer({ closed: () => (nClosed += 1) });
  const second = new ImageViewer();
  first.show(picture("a"));
  assert.deepEqual([first.isOpen, second.isOpen], [true, false]);
  press("z", { on: room() });
  assert.deepEqual([first.isOpen, nClosed], [false, 1]);
});
