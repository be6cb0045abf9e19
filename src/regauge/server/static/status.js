/** The line that says what became of the answers. */

import { count } from "./dom.js";
import { Mood } from "./outbox.js";

const WORDS = {
  [Mood.SAVED]: () => "Saved",
  [Mood.SAVING]: () => "Saving …",
  [Mood.OFFLINE]: (n) =>
    n
      ? `Offline – ${count(n, "answer is", "answers are")} kept in this browser and will be sent`
      : "Offline – the server cannot be reached",
  [Mood.SIGNED_OUT]: () => "Please open your personal link again; your answers are kept in this browser until then",
  [Mood.STALE]: () => "Please reload the page; your answers are kept in this browser",
};

/** Keep the line in step with the outbox; before the first answer it says nothing. */
export function showStatus(line, outbox) {
  const show = () => {
    const n = outbox.waiting.length;
    if (!n && outbox.mood === Mood.SAVED && !line.textContent) return;
    const words = WORDS[outbox.mood](n);
    if (line.textContent !== words) line.textContent = words;
    line.dataset.mood = outbox.mood;
  };
  outbox.addEventListener("change", show);
}
