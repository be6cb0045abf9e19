/** The page of an image: comments in threads, and answers that are returned to whoever gave them. */

import { byId } from "./dom.js";
import { attempt } from "./manage_common.js";
import { makeId } from "./outbox.js";
import { ReasonDialog } from "./parts/reason_dialog.js";
import { request } from "./requests.js";

const { campaign, image } = byId("image").dataset;
const address = `/api/manage/campaigns/${campaign}`;
const dialog = new ReasonDialog({ hint: "They read it above their answer." });

/** Write a comment, and show the page as it is then. */
async function write(form, id) {
  const about = form.elements.about?.value ?? "";
  const thread = form.dataset.thread ? Number(form.dataset.thread) : null;
  await request("POST", `${address}/comments`, { client_id: id, image: Number(image), thread, class_index: about ? Number(about) : null, text: form.querySelector("textarea").value });
  location.reload();
}

for (const form of document.querySelectorAll("form[data-thread]")) {
  // Sent again after an error, it is written once.
  const id = makeId();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(() => write(form, id));
  });
}

/** @param {DOMStringMap} chosen */
async function resolve({ resolve: thread, resolved }) {
  await request("POST", `${address}/threads/${thread}`, { is_resolved: resolved !== "true" });
  location.reload();
}

/** @param {DOMStringMap} chosen */
async function giveBack({ return: task, annotator, name }) {
  const isDone = await dialog.ask({ title: `Return the answer to ${name}?`, action: "Return it" }, (text) =>
    request("POST", `${address}/tasks/${task}/return`, { annotator: Number(annotator), image: Number(image), text }),
  );
  if (isDone) location.reload();
}

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("main button[data-resolve], main button[data-return]") : null;
  if (button instanceof HTMLElement) attempt(() => (button.dataset.resolve ? resolve(button.dataset) : giveBack(button.dataset)));
});
