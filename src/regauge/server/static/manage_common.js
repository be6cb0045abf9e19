/** What every page of the manager does: leave, times as clocks here show them, links, and reasons. */

import { byId, count, setShown } from "./dom.js";
import { offerToLeave } from "./leave.js";
import { localise } from "./live.js";
import { ReasonDialog } from "./parts/reason_dialog.js";
import { request } from "./requests.js";

/** Do something; where it fails the page says why. */
export async function attempt(doing) {
  byId("problem").textContent = "";
  try {
    await doing();
  } catch (error) {
    byId("problem").textContent = error.message;
    byId("problem").scrollIntoView({ block: "nearest" });
  }
}

/** Say what was done. */
export function say(words) {
  byId("said").textContent = words;
}

/** @type {ReasonDialog | null} */
let dialog = null;

/**
 * Ask why before something is done, and do it; gives whether it was done.
 *
 * @param {import("./parts/reason_dialog.js").Question} question
 * @param {import("./parts/reason_dialog.js").Doing} doing
 * @returns {Promise<boolean>}
 */
export function askWhy(question, doing) {
  dialog ??= new ReasonDialog();
  return dialog.ask(question, doing);
}

async function makeLinks() {
  showLinks(await request("POST", "/api/manage/links", { n: byId("n-links").valueAsNumber }));
}

/** Links that are shown this once. */
export function showLinks(links) {
  const text = byId("links-text");
  text.value = links.map(({ name, link }) => `${name}\t${link}`).join("\n");
  text.rows = Math.min(links.length + 1, 12);
  byId("links-label").textContent = `${count(links.length, "new link", "new links")}, shown this once`;
  byId("copied").textContent = "";
  setShown(byId("links"), true);
  byId("copy-links").focus();
}

async function copyLinks() {
  const text = byId("links-text");
  try {
    await navigator.clipboard.writeText(text.value);
  } catch {
    // Without HTTPS browsers offer only the old way.
    text.select();
    document.execCommand("copy");
  }
  byId("copied").textContent = "Copied";
}

byId("links-form")?.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(makeLinks);
});
byId("copy-links")?.addEventListener("click", copyLinks);
offerToLeave();
localise(document);
