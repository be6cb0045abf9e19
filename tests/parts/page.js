/** A page without a browser, for the tests of parts: what they find when they are loaded. */

import { Window } from "happy-dom";

const page = new Window({ url: "http://regauge.test/campaigns/1" });
const taken = [
  "document", "localStorage", "sessionStorage", "Event", "EventTarget", "CustomEvent", "KeyboardEvent", "MouseEvent",
  "Node", "Element", "HTMLElement", "Image", "Storage", "StorageEvent",
];
for (const name of taken) globalThis[name] = page[name];
globalThis.window = page;
Object.defineProperty(globalThis, "navigator", { value: { platform: "Linux x86_64" }, configurable: true, writable: true });
Object.assign(page.document.body.dataset, { who: "ada", study: "s1", number: "7", csrf: "token" });

/** Press a key on an element; whether something took it. */
export function press(key, { on = document.activeElement ?? document.body, ...more } = {}) {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  on.dispatchEvent(event);
  return event.defaultPrevented;
}

/** Resolves when all that is under way without a timer is done. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));

/** An empty page. */
export function clear() {
  document.body.replaceChildren();
  localStorage.clear();
  sessionStorage.clear();
}
