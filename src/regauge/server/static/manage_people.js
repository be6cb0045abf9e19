/** Everybody: new links, and an end to sessions. */

import "./manage_erasure.js";
import { make } from "./dom.js";
import { askWhy, say, showLinks } from "./manage_common.js";
import { request } from "./requests.js";

const QUESTIONS = {
  link: (name) => ({
    title: `A new link for ${name}?`,
    action: "Make link",
    effect: [make("p", {}, "The old link ends, and whoever is signed in with it is signed out.")],
  }),
  sessions: (name) => ({
    title: `Sign ${name} out?`,
    action: "Sign out",
    effect: [make("p", {}, "They are signed out everywhere; their link goes on working.")],
  }),
};

document.querySelector("main").addEventListener("click", ({ target }) => {
  const { person, do: what, name } = target.dataset;
  if (!person) return;
  askWhy({ ...QUESTIONS[what](name), isNeeded: false }, async (reason) => {
    const made = await request("POST", `/api/manage/people/${person}/${what}`, { reason });
    if (what === "link") showLinks([made]);
    say(what === "link" ? `${name} has a new link; it stands above.` : `${name} is signed out everywhere.`);
  });
});
