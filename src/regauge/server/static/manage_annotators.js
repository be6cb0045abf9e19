/** The annotators of a campaign: how they do, drop and restore. */

import { byId, count, make, setShown } from "./dom.js";
import { follow } from "./live.js";
import { askWhy, attempt, say } from "./manage_common.js";
import { request } from "./requests.js";

const { campaign, live } = byId("annotators").dataset;
const address = `/api/manage/campaigns/${campaign}/annotators`;

const look = follow(live, ({ n }) => {
  setShown(byId("table"), n > 0);
  setShown(byId("nobody"), n === 0);
});

byId("rows").addEventListener("click", ({ target }) => {
  const { decide, annotator, name, reason } = target.dataset;
  if (decide === "drop") attempt(() => drop(annotator, name, reason));
  if (decide === "restore") restore(annotator, name);
});

async function drop(annotator, name, suggested) {
  const { n_answers: n, n_reopened: nOpen } = await request("GET", `${address}/${annotator}/effect`);
  const effect = [
    make("p", {}, `${count(n, "answer", "answers")} will no longer count, but are kept.`),
    make("p", {}, nOpen ? `${count(nOpen, "task reopens", "tasks reopen")} for other people.` : "No tasks reopen."),
    make("p", {}, `${name} gets no more tasks in this campaign. You can restore them at any time.`),
  ];
  const isDone = await askWhy({ title: `Drop ${name}?`, action: "Drop", reason: suggested, effect }, async (reason) => {
    await request("POST", `${address}/${annotator}/drop`, { reason });
    await look();
    say(`${name} is dropped; ${count(nOpen, "task was", "tasks were")} reopened.`);
  });
  if (isDone) byId(`restore-${annotator}`)?.focus();
}

async function restore(annotator, name) {
  const effect = [make("p", {}, "Their answers count again where tasks still need them; the others are surplus.")];
  const isDone = await askWhy({ title: `Restore ${name}?`, action: "Restore", effect }, async (reason) => {
    await request("POST", `${address}/${annotator}/restore`, { reason });
    await look();
    say(`${name} is restored.`);
  });
  if (isDone) byId(`drop-${annotator}`)?.focus();
}
