/** A page in a frame of Mechanical Turk: when the share is done, a summary, and a form that hands the HIT in. */

import { byId, count, setShown } from "./dom.js";
import { insist } from "./parts/retry.js";
import { isRefusal, request } from "./requests.js";

const WORDS = {
  completed: (n) =>
    `${n ? `You have done ${count(n, "task", "tasks")} since you arrived, and everything is saved.` : "Everything you did is saved."} Submit the HIT, and you are done.`,
  screened_out: () => "There is nothing for you to do in this HIT. Please return it; that does not count against you.",
  returned: () => "This HIT was returned.",
};

/** Ask how it ended, until the server says so. */
async function finish() {
  const { campaign } = byId("desk").dataset;
  const ask = () => request("POST", `/api/campaigns/${campaign}/finish`);
  try {
    show(await insist(ask, { isFinal: isRefusal, heldUp: complain }));
  } catch (error) {
    complain(error);
  }
}

function complain(error) {
  setShown(byId("finish"), true);
  byId("finish-problem").textContent = error.message;
}

function show({ state, n_done: n, code }) {
  if (!(state in WORDS)) {
    // Tasks have come back in the meantime.
    location.reload();
    return;
  }
  setShown(byId("desk"), false);
  setShown(byId("finish"), true);
  byId("finish-problem").textContent = "";
  byId("finish-title").textContent = state === "completed" ? "Thank you" : "Please return the HIT";
  byId("finish-words").textContent = WORDS[state](n);
  if (!code) return;
  byId("finish-form").elements.receipt.value = code;
  setShown(byId("finish-form"), true);
  byId("finish-submit").focus();
}

if (byId("finish")) {
  document.addEventListener("finished", (event) => {
    event.preventDefault();
    finish();
  });
}
