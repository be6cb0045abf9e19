/** A drawn test set: go to its review, and draw a revision. */

import { byId } from "./dom.js";
import { attempt } from "./manage_common.js";
import { KeyHelp, Keymap } from "./parts/keymap.js";
import { request } from "./requests.js";

const PATIENCE = 120_000;
const { draw } = byId("draw").dataset;

byId("revise")?.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(revise);
});

async function revise() {
  const button = byId("revise-button");
  button.disabled = true;
  byId("working").textContent = "Drawing …";
  const body = { name: byId("revision-name").value.trim(), allow_short: byId("allow-short")?.checked ?? false };
  try {
    const { address } = await request("POST", `/api/manage/draws/${draw}/revise`, body, PATIENCE);
    location.assign(address);
  } finally {
    button.disabled = false;
    byId("working").textContent = "";
  }
}

const keymap = new Keymap();
keymap.add({ keys: ["Enter"], words: "go to the review", isOnce: true, run: () => byId("begin").click(), when: () => !isTicking() });
new KeyHelp(keymap, byId("open-keys"));

/** In a form Enter hands it in. */
const isTicking = () => document.activeElement?.closest("form") !== null;
