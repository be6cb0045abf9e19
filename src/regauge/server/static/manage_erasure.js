/** Erase somebody: what it would do is said first, and afterwards what was done and what still holds the name. */

import { count, make } from "./dom.js";
import { askWhy, attempt, say } from "./manage_common.js";
import { request } from "./requests.js";

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("main [data-erase]") : null;
  if (button instanceof HTMLElement) attempt(() => ask(button.dataset.erase, button.dataset.name, button.closest("tr")));
});

async function ask(person, name, row) {
  const plan = await request("GET", `/api/manage/people/${person}/erasure`);
  const withAnswers = make("input", { type: "checkbox" });
  const effect = [
    make("p", {}, `The name ${name} is removed from the study for good, their link stops working, and they are signed out. This cannot be undone.`),
    ...(plan.n_answers || plan.blind.length ? [make("label", { className: "row" }, withAnswers, `Also delete ${tellAnswers(plan)}`)] : []),
    make("p", { className: "quiet" }, describe(plan)),
  ];
  askWhy({ title: `Erase ${name}?`, action: "Erase", isDangerous: true, effect }, async (reason) => {
    const done = await request("POST", `/api/manage/people/${person}/erase`, { reason, with_answers: withAnswers.checked });
    row.querySelector("th").textContent = done.name;
    document.querySelector(`[data-erasure="${person}"]`)?.remove();
    row.lastElementChild.replaceChildren(make("span", { className: "quiet" }, "erased"));
    say(report(done));
  });
}

/** Of panels that vote alone nobody is told who has voted. */
function tellAnswers({ n_answers: n, blind }) {
  const counted = n ? [count(n, "answer", "answers")] : [];
  return [...counted, ...(blind.length ? [`any votes on ${blind.join(", ")}, where round 1 goes on`] : [])].join(" and ");
}

function describe({ n_campaigns, labels, blind }) {
  const again = labels.length ? ` and label sets (${labels.join(", ")}) get a new version` : "";
  if (n_campaigns) return `Without them, tasks of ${count(n_campaigns, "campaign", "campaigns")} may open again${again}.`;
  return blind.length ? "" : "They have not answered anything.";
}

function report({ name, n_answers, labels, stale_labels, participants, remaining, scrubbed }) {
  const parts = [`Erased; the name is now ${name}.`];
  if (n_answers) parts.push(`${count(n_answers, "answer was", "answers were")} deleted.`);
  if (labels.length) parts.push(`New: ${labels.join(", ")}.`);
  if (stale_labels.length) parts.push(`To be merged again: ${stale_labels.join(", ")}.`);
  if (participants.length) parts.push(`Gone with them: ${participants.join(", ")}; evaluate again for scores without them.`);
  if (remaining.length) parts.push(`Created earlier, and still with the name: ${remaining.join(", ")}.`);
  if (!scrubbed) parts.push("The database file could not be rewritten yet.");
  return parts.join(" ");
}
