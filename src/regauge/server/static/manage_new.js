/** A new campaign: shows the fields that matter, and says beside each what is wrong with it. */

import { byId, setShown } from "./dom.js";
import "./manage_common.js";
import { send } from "./requests.js";

const form = byId("new-form");
const chosen = (name) => form.elements[name].value;

/** Whether a box is ticked, or a choice made: `name` or `name=word`. */
function isChosen(choice) {
  const [name, word = "on"] = choice.split("=");
  return new FormData(form).get(name) === word;
}

/** Whether the kind of task that is chosen has something. */
const isOfKind = (element) => !element.dataset.kind || element.dataset.kind.split(" ").includes(chosen("kind"));

/** Show what belongs to the kind of task, to where questions come from, and to what is ticked. */
function arrange() {
  for (const element of form.querySelectorAll("[data-kind]")) setShown(element, isOfKind(element));
  const source = form.querySelector("input[name=source]:checked");
  if (!source || source.closest("[hidden]")) form.querySelector("label:not([hidden]) > input[name=source]:enabled").checked = true;
  for (const element of form.querySelectorAll("[data-when]")) setShown(element, isOfKind(element) && isChosen(element.dataset.when));
}

/**
 * Fill in what a choice brings along.
 *
 * @param {HTMLElement} choice
 * @param {(field: HTMLElement) => boolean} [isWanted]
 */
function fillIn(choice, isWanted = () => true) {
  for (const [name, value] of Object.entries(JSON.parse(choice.dataset.fill ?? "{}"))) {
    if (isWanted(byId(name))) byId(name).value = value;
  }
}

/** Whether a field belongs to one kind alone. */
function isOwn(field) {
  const kinds = field.closest("[data-kind]")?.dataset.kind;
  return kinds !== undefined && !kinds.includes(" ");
}

/** Fill in what several kinds have as the one that is chosen has it, or as the choices made for it do. */
function fillInCommon(kind) {
  const choices = [...form.querySelectorAll("[data-kind] > select")].filter((select) => isOfKind(select.parentElement)).map((select) => select.selectedOptions[0]);
  for (const choice of [kind, ...choices]) fillIn(choice, (field) => !isOwn(field));
}

function blame(mistakes) {
  for (const line of form.querySelectorAll(".mistake")) line.textContent = "";
  byId("problem").textContent = "";
  let first = null;
  for (const [name, words] of Object.entries(mistakes)) {
    const line = byId(`mistake-${name}`);
    (line ?? byId("problem")).textContent = words;
    first ??= byId(name) ?? form.querySelector(`input[name="${CSS.escape(name)}"]:checked`);
  }
  first?.focus();
}

/** What is filled in, without files for other kinds of task or other sources, of which the server takes only few. */
function read() {
  const data = new FormData(form);
  for (const field of form.querySelectorAll("input[type=file]")) if (field.closest("[hidden]")) data.delete(field.name);
  return data;
}

async function make() {
  const { status, reply } = await send("/api/manage/campaigns", read());
  if (status === 201) location.assign(`/manage/campaigns/${reply.id}`);
  else blame(reply.fields ?? { "": reply.detail });
}

form?.addEventListener("change", (event) => {
  if (event.target.name === "kind") fillInCommon(event.target);
  else if (event.target.tagName === "SELECT") fillIn(event.target.selectedOptions[0]);
  arrange();
});
form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  byId("make").disabled = true;
  byId("working").textContent = "Creating the tasks …";
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
