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
  [Mood.TOO_FAST]: (n, seconds) =>
    n
      ? `That was too fast – ${count(n, "answer is", "answers are")} kept in this browser and will be sent within ${seconds} s`
      : `That was too fast – continuing within ${seconds} s`,
  [Mood.NOT_STORING]: (n, seconds) =>
    n
      ? `The server cannot store anything at the moment – ${count(n, "answer is", "answers are")} kept in this browser and will be sent within ${seconds} s`
      : `The server cannot store anything at the moment – trying again within ${seconds} s`,
  [Mood.SIGNED_OUT]: () => "Please open your personal link again; your answers are kept in this browser until then",
  [Mood.STALE]: () => "Please reload the page; your answers are kept in this browser",
};

/** What is said of answers that cannot be read, or are not those of whoever is here. */
export const sayAside = (n) =>
  `${count(n, "answer that was", "answers that were")} kept in this browser cannot be read or ${n === 1 ? "is" : "are"} not yours; ` +
  `${n === 1 ? "it was" : "they were"} set aside and not sent.`;

/** Keep the line in step with the outbox; before the first answer it says nothing. */
export function showStatus(line, outbox) {
  const show = () => {
    const n = outbox.waiting.length;
    const { nAside } = outbox;
    if (!n && !nAside && outbox.mood === Mood.SAVED && !line.textContent) return;
    const said = WORDS[outbox.mood](n, outbox.secondsLeft);
    const words = nAside ? `${said} – ${sayAside(nAside)}` : said;
    if (line.textContent !== words) line.textContent = words;
    line.dataset.mood = outbox.mood;
  };
  outbox.addEventListener("change", show);
}
