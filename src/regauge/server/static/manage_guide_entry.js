/** An entry of the guide: look at a text before it is saved, save it, and see both where somebody else was faster. */

import { byId, setShown } from "./dom.js";
import { dropDraft, findDraft, keepDraft } from "./drafts.js";
import { localise, show } from "./live.js";
import { attempt, say } from "./manage_common.js";
import { makeId } from "./outbox.js";
import { KeyHelp, Keymap } from "./parts/keymap.js";
import { insist } from "./parts/retry.js";
import { isRefusal, request } from "./requests.js";

const { key, classes: listed, version } = byId("guide-entry").dataset;
const classes = JSON.parse(listed);
const address = "/api/manage/guide";
const text = byId("text");
const DRAFT = `guide-${key}`;
/** The text that stands, the version that it is of, and by which name the server knows what this page saves. */
let stored = text?.value ?? "";
let edited = Number(version);
let clientId = makeId();

function keep() {
  if (text.value === stored && byId("reason").value === "") dropDraft(DRAFT);
  else keepDraft(DRAFT, { text: text.value, reason: byId("reason").value, edited, clientId }, 0);
}

/** What was typed and not saved: the page was closed, or the server was gone. */
function restoreDraft() {
  const draft = findDraft(DRAFT)?.answer;
  if (!draft || draft.text === stored) return dropDraft(DRAFT);
  text.value = draft.text;
  byId("reason").value = draft.reason;
  ({ edited, clientId } = draft);
  say(
    edited === Number(version)
      ? "What you had typed and not saved is in the field again."
      : "What you had typed and not saved is in the field again. The entry was changed since; saving shows both.",
  );
}

async function save() {
  const button = byId("save");
  button.disabled = true;
  keep();
  const body = { classes, text: text.value, reason: byId("reason").value, edited, client_id: clientId };
  try {
    const saved = await insist(() => request("POST", `${address}/entries`, body), { isFinal: isRefusal, heldUp: wait });
    if (text.value !== body.text) return goOn(body.text, saved.version);
    dropDraft(DRAFT);
    location.assign(`/manage/guide/${key}`);
  } catch (error) {
    if (!error.said?.current) throw error;
    showConflict(error.said);
  } finally {
    button.disabled = false;
    byId("working").textContent = "";
  }
}

function wait() {
  byId("working").textContent = "The server cannot be reached. Your text is kept here, and is saved as soon as it can be.";
}

/** Somebody typed on while it was saved: that is an edit of what was saved. */
function goOn(saved, savedVersion) {
  stored = saved;
  edited = savedVersion;
  clientId = makeId();
  keep();
  say("Saved; what you typed meanwhile is not saved yet.");
}

/** What stands now, where somebody else was faster. */
let theirs = { version: edited, text: stored };

function showConflict({ detail, current, parts }) {
  theirs = current;
  show(parts);
  localise(byId("conflict"));
  setShown(byId("conflict-box"), true);
  byId("problem").textContent = detail;
  byId("conflict-box").scrollIntoView({ block: "nearest" });
  byId("keep-mine").focus();
}

/** From now on the text is an edit of what stands now. */
function settle(words) {
  edited = theirs.version;
  stored = theirs.text;
  clientId = makeId();
  setShown(byId("conflict-box"), false);
  byId("problem").textContent = "";
  keep();
  say(words);
  text.focus();
}

async function preview() {
  const { parts } = await request("POST", `${address}/preview`, { text: text.value });
  show(parts);
  setShown(byId("preview-box"), true);
}

async function cite() {
  const judged = Number(byId("judged")?.value ?? classes[0]);
  const other = classes.find((one) => one !== judged) ?? -1;
  const body = { labels: byId("labels").value, image: byId("image").value.trim(), note: byId("note").value, class_index: judged };
  await request("POST", `${address}/cases`, { ...body, other_index: other });
  location.reload();
}

const keymap = new Keymap();
if (text) {
  restoreDraft();
  text.addEventListener("input", keep);
  byId("reason").addEventListener("input", keep);
  byId("edit-form").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(save);
  });
  byId("edit-form").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || byId("save").disabled) return;
    event.preventDefault();
    attempt(save);
  });
  byId("preview-button").addEventListener("click", () => attempt(preview));
  byId("keep-mine").addEventListener("click", () => settle("Your text is now an edit of what stands. Look it over, and save."));
  byId("take-theirs").addEventListener("click", () => {
    text.value = theirs.text;
    settle("This is what stands now.");
  });
  keymap.add({ keys: ["e"], words: "write", run: () => text.focus() });
}
byId("cite-form")?.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(cite);
});
byId("restore")?.addEventListener("click", ({ target }) =>
  attempt(async () => {
    await request("POST", `${address}/restore`, { classes, version: Number(target.dataset.restore), edited });
    location.assign(`/manage/guide/${key}`);
  }),
);
byId("guide-entry").addEventListener("click", ({ target }) => {
  const button = target.closest("[data-withdraw]");
  if (!button) return;
  attempt(async () => {
    await request("POST", `${address}/cases/withdraw`, { version: Number(button.dataset.withdraw) });
    location.reload();
  });
});
keymap.add({ keys: ["/"], words: "to the list and its search", stays: false, run: () => location.assign("/manage/guide") });
new KeyHelp(keymap, byId("open-keys"));
