/** The page after the last task: people from Prolific learn how it ended, and go back with their code. */

import { byId, count, setShown } from "./dom.js";
import { offerToLeave } from "./leave.js";
import { Outbox } from "./outbox.js";
import { owner } from "./owner.js";
import { insist } from "./parts/retry.js";
import { isRefusal, request } from "./requests.js";
import { showStatus } from "./status.js";

const JUDGED_PAUSE = 60_000;

const { campaign } = byId("outcome")?.dataset ?? {};
let isAsked = false;

const TITLES = {
  completed: "Thank you",
  waiting: "Thank you",
  failed: "Thank you for your time",
  screened_out: "Thank you for your interest",
  returned: "Your place was given back",
  started: "You are not done yet",
};

/** What was done before they came is counted for nobody to see: an address does not prove who they are. */
const since = (n) => `You have done ${count(n, "task", "tasks")} since you arrived`;
const sayDone = (n) => (n ? `${since(n)}, and everything is saved.` : "Everything you did is saved.");

const WORDS = {
  completed: ({ n_done: n }) => sayDone(n),
  waiting: ({ n_done: n }) =>
    `${sayDone(n)} The researchers check the answers before they release ` +
    "the completion code. It will appear here: leave this page open, or open the study from Prolific again later.",
  failed: ({ code }) =>
    "The researchers have looked at your answers, and they are not what the study needs. " +
    (code
      ? "Go back to Prolific with the code below, which tells them so."
      : "There is no completion code. If you think this is a mistake, send the researchers a message on Prolific."),
  screened_out: ({ code }) =>
    code
      ? "There are no tasks for you in this study. Go back to Prolific with the code below, which tells them so."
      : "There are no tasks for you in this study. Please return your submission on Prolific; that does not count against you.",
  returned: () =>
    "Please also return your submission on Prolific, using “Cancel participation” or “Return” on its page. " +
    "If you change your mind before that, open the study from Prolific again.",
  started: ({ n_done: n, n_share: share }) =>
    share
      ? `${since(n)}; the full share is ${count(share, "task", "tasks")}. You can continue now, or later with the same link.`
      : `${since(n)}, and there are more for you. You can continue now, or later with the same link.`,
};

/** Ask how it ended; not before all answers are with the server, for they decide it. */
async function ask(address) {
  const reach = () => request("POST", `/api/campaigns/${campaign}/${address}`);
  try {
    show(await insist(reach, { isFinal: isRefusal, heldUp: complain }));
  } catch (error) {
    complain(error);
  }
}

function complain(error) {
  byId("problem").textContent = error.message;
  setShown(byId("outcome"), true);
}

function show(standing) {
  const { state, code, link } = standing;
  byId("problem").textContent = "";
  setShown(byId("thanks"), state === null);
  setShown(byId("outcome"), state !== null);
  if (state === null) return;
  byId("outcome-title").textContent = TITLES[state];
  byId("outcome-words").textContent = WORDS[state](standing);
  byId("code").textContent = code;
  setShown(byId("outcome-code"), code !== "");
  if (link) byId("back").href = link;
  setShown(byId("back"), link !== "");
  setShown(byId("go-on"), state === "started");
  setShown(byId("return"), state === "started");
  if (state === "waiting") setTimeout(() => ask("finish"), JUDGED_PAUSE);
}

function askOnce(outbox) {
  if (isAsked || outbox.waiting.length) return;
  isAsked = true;
  ask("finish");
}

offerToLeave();
byId("return")?.addEventListener("click", () => ask("return"));
if (owner) {
  const outbox = new Outbox();
  showStatus(byId("status"), outbox);
  if (campaign) outbox.addEventListener("change", () => askOnce(outbox));
  outbox.flush();
}
