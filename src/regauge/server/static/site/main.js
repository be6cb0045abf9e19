/** The website: one page that shows what the address behind # asks for. */

import { make } from "../dom.js";
import { readAddress, writeAddress } from "./address.js";
import { makeSearch } from "./search.js";
import { take } from "./loader.js";
import { link } from "./links.js";
import { showBrowse } from "./pages/browse.js";
import { showClass } from "./pages/class.js";
import { showCompare } from "./pages/compare.js";
import { showClasses, showConfusions, showGroup } from "./pages/groups.js";
import { showImage } from "./pages/image.js";
import { showLabels } from "./pages/labels.js";
import { showMistakes } from "./pages/mistakes.js";
import { showOverview } from "./pages/overview.js";
import { showPair } from "./pages/pair.js";
import { showParticipant, showParticipants } from "./pages/participant.js";
import { showTables } from "./pages/tables.js";
import { Study } from "./study.js";

const PAGES = {
  overview: showOverview,
  browse: showBrowse,
  image: showImage,
  class: showClass,
  classes: showClasses,
  compare: showCompare,
  confusions: showConfusions,
  group: showGroup,
  labels: showLabels,
  mistakes: showMistakes,
  pair: showPair,
  participant: showParticipant,
  participants: showParticipants,
  tables: showTables,
};
const PLACES = [
  ["overview", "Overview"], ["browse", "Images"], ["classes", "Classes"], ["participants", "Participants"], ["confusions", "Confusions"], ["labels", "Labels"],
  ["mistakes", "Mistakes"], ["tables", "Tables"],
];

/** Pages that are part of another place. */
const PART_OF = { image: "browse", class: "classes", group: "classes", pair: "confusions", participant: "participants", compare: "participants" };

let nShown = 0;

/** The header, once: where the reader is, and the search. */
function makeHeader(study) {
  const { home } = document.body.dataset;
  const mark = link(home || writeAddress("overview"), "Regauge");
  mark.className = "mark";
  const places = PLACES.map(([page, words]) => Object.assign(link(writeAddress(page), words), { className: "place" }));
  places.forEach((one, i) => one.setAttribute("data-page", PLACES[i][0]));
  const skip = make("button", { type: "button", className: "skip" }, "Skip to the content");
  skip.addEventListener("click", () => document.getElementById("main")?.focus());
  return make("header", { className: "top dense" }, skip, mark, make("nav", { className: "places", "aria-label": "Pages" }, ...places), makeSearch(study));
}

function markPlace(page) {
  for (const one of document.querySelectorAll(".place")) {
    if (one.getAttribute("data-page") === (PART_OF[page] ?? page)) one.setAttribute("aria-current", "page");
    else one.removeAttribute("aria-current");
  }
}

/** How far the reader had scrolled, by the entry of the browser's history. */
const scrolled = new Map();

/** The number of this entry of the history: one that was there before is come back to. */
function arrive() {
  if (!history.state?.entry) history.replaceState({ entry: `${Date.now()} ${scrolled.size}` }, "");
  return history.state.entry;
}

/** Show what the address asks for; what was asked for later wins. */
async function show(study, isFirst = false) {
  nShown += 1;
  const number = nShown;
  const place = readAddress(location.hash);
  const main = /** @type {HTMLElement} */ (document.getElementById("main"));
  main.setAttribute("aria-busy", "true");
  const before = main.dataset.page;
  const found = await find(study, place);
  if (number !== nShown) return;
  const heading = make("h1", { tabIndex: -1 }, found.title);
  const focused = describeFocus(main);
  main.replaceChildren(heading, ...found.nodes);
  main.removeAttribute("aria-busy");
  main.dataset.page = `${place.page}/${place.parts.join("/")}`;
  document.title = `${found.title} – ${study.index.study.name}`;
  markPlace(place.page);
  if (before === main.dataset.page) restoreFocus(main, focused);
  else if (!isFirst) {
    heading.focus({ preventScroll: true });
    scrollTo(0, scrolled.get(arrive()) ?? 0);
  }
}

/** @returns {Promise<{ title: string, nodes: Node[] }>} */
async function find(study, place) {
  const page = PAGES[place.page];
  if (!page) return { title: "No such page", nodes: [make("p", { className: "empty" }, "There is no such page. ", link(writeAddress("overview"), "Go to the overview."))] };
  try {
    return await page(study, place);
  } catch (error) {
    return { title: "This cannot be shown", nodes: [make("p", { className: "problem", role: "alert" }, error.message), make("p", {}, link(writeAddress("overview"), "Go to the overview."))] };
  }
}

/** Which field has the focus, by its words: after a change of the filters the same one gets it again. */
function describeFocus(main) {
  const active = /** @type {HTMLInputElement | null} */ (document.activeElement);
  if (!active || !main.contains(active)) return null;
  return [...main.querySelectorAll("input, select, button, a")].indexOf(active);
}

function restoreFocus(main, place) {
  if (place === null || place < 0) return;
  const fields = main.querySelectorAll("input, select, button, a");
  /** @type {HTMLElement} */ (fields[Math.min(place, fields.length - 1)])?.focus({ preventScroll: true });
}

async function begin() {
  const main = /** @type {HTMLElement} */ (document.getElementById("main"));
  try {
    const study = await Study.open();
    main.before(makeHeader(study));
    history.scrollRestoration = "manual";
    addEventListener("hashchange", () => show(study));
    addEventListener("scrollend", () => scrolled.set(arrive(), scrollY));
    await show(study, true);
    arrive();
  } catch (error) {
    main.replaceChildren(make("h1", {}, "This website cannot be shown"), make("p", { className: "problem", role: "alert" }, error.message));
  }
}

/** @type {any} */ (globalThis).regauge = { take };
begin();
