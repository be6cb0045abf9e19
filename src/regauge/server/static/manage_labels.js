/** The label set of a campaign: see what it would be, then build it. */

import { byId, setShown } from "./dom.js";
import { show } from "./live.js";
import { attempt } from "./manage_common.js";
import { request } from "./requests.js";

const address = `/api/manage/campaigns/${byId("labels").dataset.campaign}/labels`;
const form = byId("rule-form");
/** Milliseconds that a preview or a build may take: a million answers are counted in half a minute. */
const PATIENCE = 600_000;

/** The rule as it stands in the form. */
function read() {
  const rule = {};
  for (const field of form.querySelectorAll("input[type=checkbox]")) rule[field.name] = field.checked;
  for (const field of form.querySelectorAll("input[type=number]")) rule[field.name] = field.valueAsNumber;
  for (const field of form.querySelectorAll("select")) rule[field.name] = field.value;
  return rule;
}

async function work(button, words, doing) {
  button.disabled = true;
  byId("working").textContent = words;
  try {
    await attempt(doing);
  } finally {
    button.disabled = false;
    byId("working").textContent = "";
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  setShown(byId("build"), false);
  work(byId("preview-button"), "Counting …", async () => {
    const { parts } = await request("POST", `${address}/preview`, read(), PATIENCE);
    show(parts);
    setShown(byId("preview"), true);
    setShown(byId("build"), true);
  });
});
// What was previewed is no longer what would be built.
form.addEventListener("input", () => {
  setShown(byId("preview"), false);
  setShown(byId("build"), false);
});
byId("build-form").addEventListener("submit", (event) => {
  event.preventDefault();
  work(byId("build-button"), "Building …", async () => {
    const { full_name: name } = await request("POST", address, { ...read(), name: byId("label-name").value }, PATIENCE);
    location.assign(`?built=${encodeURIComponent(name)}`);
  });
});
byId("coding-form")?.addEventListener("submit", (event) => {
  event.preventDefault();
  work(byId("coding-button"), "Creating …", async () => {
    const participant = new FormData(byId("coding-form")).get("participant");
    const { id } = await request("POST", address.replace(/labels$/, "coding"), { participant }, PATIENCE);
    location.assign(`/manage/campaigns/${id}`);
  });
});
