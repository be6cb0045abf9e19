/** Pages that follow what happens: ask now and then, and change on the page only what has changed. */

import { byId } from "./dom.js";

const PERIOD = 3_000;
/** What people change themselves, and a new version of the page must not take back. */
const OWN = new Set(["open", "value"]);
const FORMATS = {
  both: new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }),
  day: new Intl.DateTimeFormat(undefined, { dateStyle: "medium" }),
  time: new Intl.DateTimeFormat(undefined, { timeStyle: "short" }),
};

/** Moments as clocks here show them. */
export function localise(root) {
  for (const time of root.querySelectorAll("time")) {
    time.textContent = FORMATS[time.dataset.parts ?? "both"].format(new Date(time.dateTime));
    time.title = `${time.dateTime.slice(0, 19).replace("T", " ")} UTC`;
  }
}

/**
 * Make an element look like another by changing as little as possible: what has the focus keeps it, nothing flickers.
 * Children with a `data-key` are known by it, whatever their place.
 */
export function morph(shown, fresh) {
  for (const { name } of [...shown.attributes]) {
    if (!fresh.hasAttribute(name) && !OWN.has(name)) shown.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (shown.getAttribute(name) !== value && !(OWN.has(name) && isField(shown))) shown.setAttribute(name, value);
  }
  morphChildren(shown, fresh);
}

const isField = (element) => /^(input|textarea|select|details|dialog)$/i.test(element.nodeName);
const keyOf = (node) => node.dataset?.key;
const isAlike = (one, other) => one?.nodeType === other.nodeType && one.nodeName === other.nodeName && keyOf(one) === keyOf(other);

function morphChildren(shown, fresh) {
  const byKey = new Map([...shown.children].filter(keyOf).map((child) => [keyOf(child), child]));
  let place = shown.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const known = byKey.get(keyOf(wanted));
    const match = known ?? (isAlike(place, wanted) ? place : null);
    if (!match) {
      shown.insertBefore(document.importNode(wanted, true), place);
      continue;
    }
    if (match === place) place = place.nextSibling;
    else shown.insertBefore(match, place);
    if (match.nodeType === Node.ELEMENT_NODE) morph(match, wanted);
    else if (match.data !== wanted.data) match.data = wanted.data;
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

/** Put new contents into the elements of these ids. */
export function show(parts) {
  for (const [id, html] of Object.entries(parts)) {
    const shown = byId(id);
    if (!shown) continue;
    const fresh = read(html, shown);
    localise(fresh);
    morphChildren(shown, fresh);
  }
}

/** The contents inside an element of the same kind, of a document that is shown nowhere: nothing in it is fetched or run. */
export function read(html, shown) {
  const inert = document.implementation.createHTMLDocument("");
  const fresh = inert.createElement(shown.localName);
  fresh.innerHTML = html;
  return fresh;
}

/**
 * Ask an address for parts again and again, as long as the page is looked at; gives a function that asks at once.
 *
 * @param {string} address
 * @param {(news: any) => void} [onNews]
 */
export function follow(address, onNews = () => {}) {
  const alive = byId("alive");
  let timer = 0;
  let turn = 0;
  async function look() {
    clearTimeout(timer);
    if (!document.hidden) await attempt();
    timer = setTimeout(look, PERIOD);
  }
  async function attempt() {
    turn += 1;
    const mine = turn;
    try {
      const reply = await fetch(address, { headers: { accept: "application/json" }, credentials: "same-origin" });
      if (reply.status === 401 || reply.status === 403) return tell("signed out: open your link again", "lost");
      if (!reply.ok) return tell("the server is busy", "lost");
      const news = await reply.json();
      // Somebody did something meanwhile and looked again: this is older.
      if (mine !== turn) return;
      show(news.parts);
      onNews(news);
      tell("live", "well");
    } catch {
      tell("the server cannot be reached", "lost");
    }
  }
  function tell(words, mood) {
    if (!alive || alive.textContent === words) return;
    alive.textContent = words;
    alive.dataset.mood = mood;
  }
  document.addEventListener("visibilitychange", () => document.hidden || look());
  timer = setTimeout(look, PERIOD);
  return look;
}
