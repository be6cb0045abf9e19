/** Look at the images of a class of a drawn test set: remove wrong ones with a reason, take that back, and go on. */

import { byId } from "./dom.js";
import { follow, show } from "./live.js";
import { attempt, say } from "./manage_common.js";
import { request } from "./requests.js";

const { draw, live, previous, next } = byId("review").dataset;
const address = `/api/manage/draws/${draw}`;
const dialog = byId("why");
const text = byId("why-text");
let last = [];
let chosen = "";
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

function ask(image, source) {
  chosen = image;
  byId("why-image").src = source;
  byId("why-mistake").textContent = "";
  text.value = "";
  dialog.showModal();
  dialog.querySelector("[data-reason]").focus();
}

async function remove(reason) {
  if (!reason) {
    byId("why-mistake").textContent = "Say why: the reason is kept with the decision.";
    text.focus();
    return;
  }
  try {
    await request("POST", `${address}/remove`, { image_id: chosen, reason });
  } catch (error) {
    byId("why-mistake").textContent = error.message;
    return;
  }
  last.push(chosen);
  dialog.close();
  await look();
  say(`${chosen} is removed: ${reason}.`);
  find(chosen)?.focus();
}

async function restore(image) {
  await request("POST", `${address}/restore`, { image_id: image });
  last = last.filter((one) => one !== image);
  await look();
  say(`${image} is taken back.`);
  find(image)?.focus();
}

const find = (image) => [...document.querySelectorAll("[data-image]")].find((one) => one.dataset.image === image);

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
byId("why-no").addEventListener("click", () => dialog.close());
byId("why-form").addEventListener("submit", (event) => {
  event.preventDefault();
  remove(text.value.trim());
});
dialog.addEventListener("click", ({ target }) => {
  const { reason } = target.closest("[data-reason]")?.dataset ?? {};
  if (reason) remove(reason);
});
dialog.addEventListener("keydown", (event) => {
  const preset = event.target === text ? null : dialog.querySelectorAll("[data-reason]")[Number(event.key) - 1];
  if (!preset) return;
  event.preventDefault();
  preset.click();
});

const KEYS = "1234567890";
// Enter goes on even from an image, which has the focus after it was removed: pressing it once more would take that back.
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || dialog.open) return;
  const button = KEYS.includes(event.key) ? document.querySelectorAll("[data-image]")[KEYS.indexOf(event.key)] : null;
  if (button) choose(button);
  else if (event.key === "ArrowRight") location.assign(next);
  else if (event.key === "ArrowLeft" && previous) location.assign(previous);
  else if (event.key === "u" && last.length) attempt(() => restore(last.at(-1)));
  else if (event.key === "Enter" && !event.target.closest("a, button:not([data-image])")) attempt(goOn);
  else return;
  event.preventDefault();
});
look();
