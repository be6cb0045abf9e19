/** The manager's page: open and close campaigns, make links, and see answers come in. */

import { byId, count, setShown } from "./dom.js";
import { offerToLeave } from "./leave.js";
import { request } from "./requests.js";

const PERIOD = 5_000;
const LIVE = ["campaigns", "answers"];

/** Fetch the page anew and put in what has changed; whoever uses a button keeps it under the finger. */
async function refresh() {
  const reply = await fetch("/manage", { headers: { accept: "text/html" } });
  if (!reply.ok) return;
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  localise(page);
  for (const id of LIVE) {
    const [shown, fresh] = [byId(id), page.getElementById(id)];
    if (shown.innerHTML === fresh.innerHTML) continue;
    const focused = shown.contains(document.activeElement) ? document.activeElement.id : "";
    shown.replaceChildren(...fresh.childNodes);
    if (focused) byId(focused)?.focus();
  }
}

/** Moments as clocks here show them. */
function localise(page) {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
  for (const time of page.querySelectorAll("time")) time.textContent = format.format(new Date(time.dateTime));
}

async function attempt(doing) {
  byId("problem").textContent = "";
  try {
    await doing();
  } catch (error) {
    byId("problem").textContent = error.message;
  }
}

async function makeLinks() {
  const links = await request("POST", "/api/manage/links", { n: byId("n-links").valueAsNumber });
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

byId("links-form").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(makeLinks);
});
byId("copy-links").addEventListener("click", copyLinks);
byId("campaigns").addEventListener("click", (event) => {
  const { change, campaign } = event.target.dataset;
  if (!change) return;
  attempt(async () => {
    await request("POST", `/api/manage/campaigns/${campaign}/${change}`);
    await refresh();
  });
});
offerToLeave();
localise(document);
setInterval(() => document.hidden || refresh().catch(() => {}), PERIOD);
