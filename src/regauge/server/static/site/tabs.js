/** Links that show the same page of another set, label set or group. */

import { make } from "../dom.js";
import { writeAddress } from "./address.js";

/**
 * @param {string} label
 * @param {{ words: string, asked: Record<string, any>, isCurrent: boolean }[]} tabs
 * @param {{ page: string, parts: string[] }} place
 */
export function makeTabs(label, tabs, { page, parts }) {
  const links = tabs.map(({ words, asked, isCurrent }) => {
    const one = make("a", { href: writeAddress(page, parts, asked), className: "button" }, words);
    if (isCurrent) one.setAttribute("aria-current", "true");
    return one;
  });
  const nav = make("nav", { className: "row tabs", "aria-label": label }, ...links);
  nav.hidden = tabs.length < 2;
  return nav;
}

/** A tab for every set. */
export function makeSetTabs(sets, chosen, place) {
  return makeTabs("Test set", sets.map((set) => ({ words: set.name, asked: { ...place.asked, set: set.name, page: "" }, isCurrent: set === chosen })), place);
}
