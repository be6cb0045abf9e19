/** A new campaign: shows the fields that matter, and says beside each what is wrong with it. */

import { byId, setShown } from "./dom.js";
import "./manage_common.js";
import { send } from "./requests.js";

const form = byId("new-form");
const chosen = (name) => form.elements[name].value;

/** Show what belongs to the kind of task, to where questions come from, and to what is ticked. */
function arrange() {
  const kind = chosen("kind");
  for (const element of form.querySelectorAll("[data-kind]")) setShown(element, element.dataset.kind === kind);
  const source = form.querySelector("input[name=source]:checked");
  if (!source || source.closest("[hidden]")) form.querySelector("label:not([hidden]) > input[name=source]:enabled").checked = true;
  for (const element of form.querySelectorAll("[data-source]")) setShown(element, element.dataset.source === chosen("source"));
  for (const element of form.querySelectorAll("[data-when]")) setShown(element, byId(element.dataset.when).checked);
}

function fillIn() {
  const { cells, positive, negative, annotators } = byId("preset").selectedOptions[0].dataset;
  const values = { n_cells: cells, n_positive: positive, n_negative: negative, n_annotators: annotators };
  for (const [name, value] of Object.entries(values)) byId(name).value = value;
}

function blame(mistakes) {
  for (const line of form.querySelectorAll(".mistake")) line.textContent = "";
  byId("problem").textContent = "";
  let first = null;
  for (const [name, words] of Object.entries(mistakes)) {
    const line = byId(`mistake-${name}`);
    (line ?? byId("problem")).textContent = words;
    first ??= byId(name) ?? form.querySelector(`input[name=${name}]:checked`);
  }
  first?.focus();
}

async function make() {
  const { status, reply } = await send("/api/manage/campaigns", new FormData(form));
  if (status === 201) location.assign(`/manage/campaigns/${reply.id}`);
  else blame(reply.fields ?? { "": reply.detail });
}

form?.addEventListener("change", (event) => {
  if (event.target.id === "preset") fillIn();
  if (event.target.name === "kind") byId("n_annotators").value = chosen("kind") === "classify" ? 9 : byId("preset").selectedOptions[0].dataset.annotators;
  arrange();
});
form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  byId("make").disabled = true;
  byId("working").textContent = "Making the tasks …";
  try {
    await make();
  } catch (error) {
    blame({ "": error.message });
  } finally {
    byId("make").disabled = false;
    byId("working").textContent = "";
  }
});
if (form) arrange();
