/** The items of a campaign: choose rows, or all that the list has, and assign them to people. */

import { byId, count } from "./dom.js";
import { attempt, say } from "./manage_common.js";
import { tabStore } from "./parts/store.js";
import { request } from "./requests.js";

const SHOWN = "regauge.assigned";
const list = (name) => /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll(`main input[data-${name}]`)]);
const listChosen = (name) => list(name).filter(({ checked }) => checked).map((box) => Number(box.dataset[name]));

/** What was done, in words. */
function tell({ n_tasks: n, people, notes }) {
  const whom = people.length ? people.join(", ") : "anybody";
  return [`${count(n, "task goes", "tasks go")} to ${whom} from now on.`, ...notes].join(" ");
}

async function assign(isAll) {
  const tasks = isAll ? [] : [...new Set(listChosen("task"))];
  if (!isAll && !tasks.length) throw new Error("Choose rows first, or assign all.");
  const done = await request("POST", `/api/manage/campaigns/${byId("items").dataset.campaign}/assign${location.search}`, { tasks, is_all: isAll, people: listChosen("person") });
  // The list shows it once it is read anew.
  tabStore.write(SHOWN, tell(done));
  location.reload();
}

byId("choose-page")?.addEventListener("change", () => list("task").forEach((box) => (box.checked = byId("choose-page").checked)));
byId("assign-chosen")?.addEventListener("click", () => attempt(() => assign(false)));
byId("assign-all")?.addEventListener("click", () => attempt(() => assign(true)));
const said = tabStore.read(SHOWN);
if (said) say(said);
tabStore.remove(SHOWN);
