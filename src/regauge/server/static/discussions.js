/** The items of a discussion: where each stands, and what chairs enter. */

import { byId, count, make, setShown } from "./dom.js";
import { offerToLeave } from "./leave.js";
import { localise } from "./live.js";
import { ReasonDialog } from "./parts/reason_dialog.js";
import { request } from "./requests.js";

const PAUSE = 20_000;
const { campaign, chair } = byId("discussions").dataset;
const isChair = chair !== undefined;
const address = `/api/campaigns/${campaign}/discussion`;
const dialog = new ReasonDialog({ hint: "The reason is kept with the entry, and everybody on the panel can read it." });

/** @type {any} */
let shown = null;
/** @type {Set<number>} */
const chosen = new Set();

offerToLeave();

async function load() {
  try {
    show(await request("GET", address));
  } catch (error) {
    byId("problem").textContent = error.message;
  }
}

/** Enter something; what came back is shown, or why it was not entered. */
async function enter(act, body) {
  byId("problem").textContent = "";
  try {
    const found = await request("POST", `${address}/${act}`, body);
    chosen.clear();
    show(found);
  } catch (error) {
    byId("problem").textContent = error.message;
    await load();
  }
}

function show(found) {
  shown = found;
  byId("where").textContent = tellWhere(found);
  setShown(byId("table"), found.round > 1);
  byId("rows").replaceChildren(...found.items.map((one, place) => makeRow(one, place + 1)));
  localise(byId("rows"));
  if (isChair) showActs(found);
}

function tellWhere({ round, n_items: n, n_own: own, can_close: canClose, items }) {
  if (round === 1) {
    const mine = `Round 1: you have voted on ${own.toLocaleString("en")} of ${count(n, "item", "items")}. `;
    if (!isChair) return `${mine}What others say is shown once a chair has closed the round.`;
    if (canClose === null) return `${mine}When you have voted on everything, you are told whether everybody has.`;
    return mine + (canClose ? "Everybody has voted on everything: close the round." : "Others have not voted on everything yet.");
  }
  const waiting = items.filter((one) => one.waits_for_you).length;
  const locked = items.filter((one) => one.is_locked).length;
  return `Round 2: ${count(waiting, "item waits", "items wait")} for you; ${locked.toLocaleString("en")} of ${count(n, "item", "items")} locked.`;
}

function showActs({ round, can_close: canClose, items }) {
  setShown(byId("close-round"), round === 1 && canClose === true);
  setShown(byId("lock-unanimous"), items.some(isUnanimous));
  setShown(byId("lock-chosen"), round > 1);
  byId("lock-chosen").disabled = !chosen.size;
}

const isLockable = (one) => !one.is_locked && !one.n_missing;
const isUnanimous = (one) => isLockable(one) && one.is_unanimous;

function makeRow(one, number) {
  const link = make("a", { href: `/campaigns/${campaign}?item=${one.task}` }, `Item ${number}`);
  const votes = Object.entries(one.counts).map(([question, counts]) => make("div", {}, `${question}: ${tellCounts(counts)}`));
  const history = one.history.map(({ act, who, at, reason, is_batch: isBatch }) => make("li", {}, `${act}${isBatch ? " (batch)" : ""} by ${who} `, make("time", { dateTime: at }, `${at.slice(0, 16).replace("T", " ")} UTC`), reason ? `: ${reason}` : ""));
  const state = make("td", {}, tellState(one), make("ul", { className: "history" }, ...history));
  const cells = [make("td", {}, link), make("td", { className: "votes" }, ...votes), state, make("td", {}, one.waits_for_you ? "waits for you" : "")];
  return make("tr", {}, ...(isChair ? [make("td", {}, makeBox(one, number)), ...cells, make("td", {}, makeLock(one))] : cells));
}

const tellCounts = (counts) => Object.entries(counts).map(([vote, n]) => `${n} ${vote}`).join(", ");

function tellState(one) {
  if (one.is_locked) return "locked";
  if (one.n_missing) return `${count(one.n_missing, "vote", "votes")} missing`;
  return one.is_unanimous ? "unanimous" : "under discussion";
}

function makeBox(one, number) {
  const box = make("input", { type: "checkbox", checked: chosen.has(one.task), disabled: !isLockable(one), "aria-label": `Choose item ${number}` });
  box.addEventListener("change", () => {
    if (box.checked) chosen.add(one.task);
    else chosen.delete(one.task);
    byId("lock-chosen").disabled = !chosen.size;
  });
  return box;
}

function makeLock(one) {
  if (one.is_locked) {
    const button = make("button", { type: "button" }, "Unlock …");
    button.addEventListener("click", () => dialog.ask({ title: "Unlock the item?", action: "Unlock", effect: [make("p", {}, "Votes can change again; those that came after the lock count from now on.")] }, (reason) => enter("unlock", { task: one.task, reason })));
    return button;
  }
  const button = make("button", { type: "button", disabled: !isLockable(one) }, "Lock");
  button.addEventListener("click", () => lock([one]));
  return button;
}

function lock(items) {
  if (items.length) enter("lock", { items: items.map(({ task, version }) => ({ task, version })) });
}

if (isChair) {
  byId("close-round").addEventListener("click", () => enter("close"));
  byId("lock-unanimous").addEventListener("click", () => lock(shown.items.filter(isUnanimous)));
  byId("lock-chosen").addEventListener("click", () => lock(shown.items.filter((one) => chosen.has(one.task) && isLockable(one))));
  byId("excuse").addEventListener("click", askWho);
}

/** Who has left, and why the others decide alone. */
function askWho() {
  const people = make("select", { "aria-label": "Who has left" }, ...shown.people.map((name) => make("option", { value: name }, name)));
  const words = make("p", {}, "Their votes are kept and no longer count; what the others say decides.");
  dialog.ask({ title: "Who has left the panel?", action: "Excuse them", isDangerous: true, effect: [people, words] }, (reason) => enter("excuse", { panelist: people.value, reason }));
}

load();
setInterval(() => {
  if (document.visibilityState === "visible" && !document.querySelector("dialog[open]")) load();
}, PAUSE);
