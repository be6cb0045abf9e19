/** Look at the images of a class of a drawn test set: remove wrong ones with a reason, take that back, and go on. */

import { byId, make } from "./dom.js";
import { follow, show } from "./live.js";
import { attempt, say } from "./manage_common.js";
import { KeyHelp, Keymap } from "./parts/keymap.js";
import { ReasonDialog } from "./parts/reason_dialog.js";
import { Undo } from "./parts/undo.js";
import { request } from "./requests.js";

const { draw, live, previous, next, reasons } = byId("class-review").dataset;
const address = `/api/manage/draws/${draw}`;
const dialog = new ReasonDialog({ presets: JSON.parse(reasons), hint: "It is kept with your name and counted in revisions." });
const undo = new Undo();
let nRemoved = -1;

const look = follow(live, ({ n_removed: n }) => {
  if (n !== nRemoved) foresee();
  nRemoved = n;
});

/** What a revision would do; it is asked for apart, because it takes longer than all the rest. */
async function foresee() {
  const news = await request("GET", `${live}/foresight`).catch(() => null);
  if (news) show(news.parts);
}

function choose(button) {
  const { image, removed } = button.dataset;
  if (removed) attempt(() => restore(image));
  else ask(image, button.querySelector("img").src);
}

async function ask(image, source) {
  const picture = make("div", { className: "why-image" }, make("img", { src: source, alt: "" }));
  const isDone = await dialog.ask({ title: "Why remove it?", action: "Remove", effect: [picture] }, async (reason) => {
    await request("POST", `${address}/remove`, { image_id: image, reason });
    undo.note(image, () => attempt(() => restore(image)));
    await look();
    say(`${image} is removed: ${reason}.`);
  });
  if (isDone) find(image)?.focus();
}

async function restore(image) {
  await request("POST", `${address}/restore`, { image_id: image });
  undo.forgetAbout(image);
  await look();
  say(`${image} is restored.`);
  find(image)?.focus();
}

const listButtons = () => /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-image]")]);
const find = (image) => listButtons().find((one) => one.dataset.image === image);

async function goOn() {
  byId("reviewed").disabled = true;
  try {
    await request("POST", `${live}/reviewed`);
    location.assign(next);
  } finally {
    byId("reviewed").disabled = false;
  }
}

byId("pictures").addEventListener("click", ({ target }) => {
  const button = target.closest("[data-image]");
  if (button) choose(button);
});
byId("reviewed").addEventListener("click", () => attempt(goOn));

const KEYS = [..."1234567890"];
const findByKey = (key) => listButtons()[KEYS.indexOf(key)];
const keymap = new Keymap();
keymap.add(
  { keys: KEYS, shown: ["1 … 0"], words: "remove an image, or restore it", isOnce: true, run: (_, key) => findByKey(key) && choose(findByKey(key)) },
  { keys: ["u"], words: "undo the last one", run: () => undo.undo() },
  { keys: ["ArrowRight"], words: "to the next class", stays: false, run: () => location.assign(next) },
  { keys: ["ArrowLeft"], words: "to the previous class", stays: false, run: () => location.assign(previous), when: () => previous !== "" },
  // Even from an image, which has the focus after it was removed: pressing it once more would take that back.
  { keys: ["Enter"], words: "mark as reviewed, and go to the next class", over: "[data-image]", isOnce: true, run: () => attempt(goOn) },
);
new KeyHelp(keymap, byId("open-keys"));
look();
