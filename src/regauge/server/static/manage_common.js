/** What every page of the manager does: leave, times as clocks here show them, links, and reasons. */

import { byId, count, setShown } from "./dom.js";
import { offerToLeave } from "./leave.js";
import { localise } from "./live.js";
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

/**
 * Ask why before something is done, and do it.
 *
 * @param {object} question title, action (on the button), reason (filled in), isNeeded, isDanger (it cannot be undone), and effect: what will happen.
 * @param {(reason: string) => Promise<void>} doing what to do; when it fails the dialog stays and says why.
 */
export function askWhy({ title, action, reason = "", isNeeded = true, isDanger = false, effect = [] }, doing) {
  const dialog = byId("reason");
  const text = byId("reason-text");
  byId("reason-title").textContent = title;
  byId("reason-yes").textContent = action;
  byId("reason-yes").className = isDanger ? "danger" : "primary";
  byId("reason-label").textContent = isNeeded ? "Why" : "Why (if you like)";
  byId("reason-effect").replaceChildren(...effect);
  byId("reason-mistake").textContent = "";
  byId("reason-yes").disabled = false;
  text.value = reason;
  byId("reason-no").onclick = () => dialog.close();
  byId("reason-form").onsubmit = async (event) => {
    event.preventDefault();
    if (isNeeded && !text.value.trim()) {
      byId("reason-mistake").textContent = "Say why: the reason is kept with the decision.";
      text.focus();
      return;
    }
    byId("reason-yes").disabled = true;
    try {
      await doing(text.value.trim());
      dialog.close();
    } catch (error) {
      byId("reason-mistake").textContent = error.message;
      byId("reason-yes").disabled = false;
    }
  };
  dialog.showModal();
  text.focus();
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
