/** Everybody: new links, an end to sessions, and tasks that others can have. */

import "./manage_erasure.js";
import { count, make, setShown } from "./dom.js";
import { askWhy, say, showLinks } from "./manage_common.js";
import { request } from "./requests.js";

const QUESTIONS = {
  link: (name) => ({
    title: `A new link for ${name}?`,
    action: "Create link",
    effect: [make("p", {}, "The old link stops working, and anyone signed in with it is signed out. Their open tasks can go to others.")],
  }),
  sessions: (name) => ({
    title: `Sign ${name} out?`,
    action: "Sign out",
    effect: [make("p", {}, "They are signed out everywhere; their link still works. Their open tasks can go to others.")],
  }),
  release: (name) => ({
    title: `Release the tasks of ${name}?`,
    action: "Release",
    effect: [make("p", {}, "Tasks that they hold and have not answered can go to others. An answer that they still send is not lost.")],
  }),
};

const DONE = {
  link: (name) => `${name} has a new link, shown above.`,
  sessions: (name) => `${name} is signed out everywhere.`,
  release: (name, { n }) => `${name} held ${count(n, "task", "tasks")}, which can now go to others.`,
};

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("main [data-person]") : null;
  if (!(button instanceof HTMLElement)) return;
  const { person, do: what = "", name } = button.dataset;
  if (what === "expertise") return changeExpertise(String(person), String(name));
  askWhy({ ...QUESTIONS[what](name), isNeeded: false }, async (reason) => {
    const made = await request("POST", `/api/manage/people/${person}/${what}`, { reason });
    if (what === "link") showLinks([made]);
    say(DONE[what](name, made));
  });
});

/** What somebody is an expert of: labels that reviewers refer to one of these go to them. */
function changeExpertise(person, name) {
  const cell = /** @type {HTMLElement | null} */ (document.querySelector(`[data-expertise="${person}"]`));
  const question = {
    title: `What is ${name} an expert of?`,
    action: "Save",
    label: "Kinds or a few words, separated by commas",
    reason: cell?.textContent?.trim() ?? "",
    isNeeded: false,
    effect: [make("p", {}, "What reviewers refer to one of these, or to a kind below it, goes to them.")],
  };
  askWhy(question, async (words) => {
    const { expertises } = await request("POST", `/api/manage/people/${person}/expertise`, { expertises: words.split(",") });
    cell?.replaceChildren(expertises.join(", "));
    if (cell) setShown(cell, expertises.length > 0);
    say(expertises.length ? `${name} is an expert of ${expertises.join(", ")}.` : `${name} is not an expert of anything.`);
  });
}
