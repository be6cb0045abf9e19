/** Relations between classes: have some proposed, and decide on each with a reason. */

import { byId, count, make } from "./dom.js";
import { askWhy, attempt, say } from "./manage_common.js";
import { tabStore } from "./parts/store.js";
import { request } from "./requests.js";

const ACTIONS = { accepted: "Accept", rejected: "Reject" };
const EFFECTS = {
  accepted: "Where labels are derived from relations, it is passed on from now on. Label sets that are stored stay as they are.",
  rejected: "It is neither passed on nor proposed again. Label sets that are stored stay as they are.",
};
const AFTER_KEY = "regauge.relations.done";

/** What was done is told by the page that comes next. */
function reload(words) {
  tabStore.write(AFTER_KEY, words);
  location.reload();
}

/** @param {DOMStringMap} data of the button. */
function decide({ decide: status = "", kind, first, second, told = "" }) {
  const question = { title: `${ACTIONS[status]} that ${told}?`, action: ACTIONS[status], effect: [make("p", {}, EFFECTS[status])] };
  askWhy(question, async (reason) => {
    const { notes } = await request("POST", "/api/manage/relations/decide", { kind, first: Number(first), second: Number(second), status, reason });
    reload([`${told}: ${status}.`, ...notes].join(" "));
  });
}

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("main [data-decide]") : null;
  if (button instanceof HTMLElement) decide(button.dataset);
});
byId("propose").addEventListener("click", () =>
  attempt(async () => {
    const { n, notes } = await request("POST", "/api/manage/relations/propose", {});
    reload([n ? `${count(n, "relation", "relations")} proposed.` : "There is nothing new to propose.", ...notes].join(" "));
  }),
);

const done = tabStore.read(AFTER_KEY);
tabStore.remove(AFTER_KEY);
if (done) say(done);
