/** What to do, and the keys, in a dialog of the page of a task. */

import { byId } from "./dom.js";
import { describeKeys, showKey } from "./parts/keymap.js";

/** The help tells the keys that do something at the moment. */
export function offerHelp(keymap) {
  const show = () => {
    byId("help-keys").replaceChildren(describeKeys(keymap));
    byId("help").showModal();
    // Not the switch, which a key pressed too much would turn.
    byId("help-close").focus({ preventScroll: true });
    // One reads from the beginning.
    byId("help").scrollTop = 0;
  };
  for (const button of document.querySelectorAll(".open-help")) button.addEventListener("click", show);
  byId("help-close").addEventListener("click", () => byId("help").close());
  keymap.add({ keys: ["h"], run: show, when: () => !byId("work").hidden || byId("qualify")?.hidden === false });
  for (const key of document.querySelectorAll(".submit-key")) key.textContent = showKey("Ctrl+Enter");
}
