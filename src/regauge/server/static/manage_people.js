/** Everybody: new links, an end to sessions, and tasks that others can have. */

import "./manage_erasure.js";
import { count, make } from "./dom.js";
import { askWhy, say, showLinks } from "./manage_common.js";
import { request } from "./requests.js";

const QUESTIONS = {
  link: (name) => ({
    title: `A new link for ${name}?`,
    action: "Make link",
    effect: [make("p", {}, "The old link ends, and whoever is signed in with it is signed out. Others can be given their open tasks.")],
  }),
  sessions: (name) => ({
    title: `Sign ${name} out?`,
    action: "Sign out",
    effect: [make("p", {}, "They are signed out everywhere; their link goes on working. Others can be given their open tasks.")],
  }),
  release: (name) => ({
    title: `Release the tasks of ${name}?`,
    action: "Release",
    effect: [make("p", {}, "Others can be given what they keep and have not answered. An answer of theirs that still comes is not lost.")],
  }),
};

const DONE = {
  link: (name) => `${name} has a new link; it stands above.`,
  sessions: (name) => `${name} is signed out everywhere.`,
  release: (name, { n }) => `${name} kept ${count(n, "task", "tasks")}, which others can be given now.`,
};

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("main [data-person]") : null;
  if (!(button instanceof HTMLElement)) return;
  const { person, do: what = "", name } = button.dataset;
  askWhy({ ...QUESTIONS[what](name), isNeeded: false }, async (reason) => {
    const made = await request("POST", `/api/manage/people/${person}/${what}`, { reason });
    if (what === "link") showLinks([made]);
    say(DONE[what](name, made));
  });
});
