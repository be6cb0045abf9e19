/** A drawn test set: go to its review, and draw a revision. */

import { byId } from "./dom.js";
import { attempt } from "./manage_common.js";
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
  const wish = { name: byId("revision-name").value.trim(), allow_short: byId("allow-short")?.checked ?? false };
  try {
    const { address } = await request("POST", `/api/manage/draws/${draw}/revise`, wish, PATIENCE);
    location.assign(address);
  } finally {
    button.disabled = false;
    byId("working").textContent = "";
  }
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.key !== "Enter") return;
  if (!event.target.closest("a, button, input, textarea")) byId("begin").click();
});
