/** The button that ends a session. */

import { byId, count, make } from "./dom.js";
import { countWaiting, leaveNow } from "./outbox.js";
import { Refusal, request } from "./requests.js";

/** Let somebody go; answers that were not sent yet stay in this browser for when they come back, and they are asked first. */
export function offerToLeave() {
  byId("leave")?.addEventListener("click", async () => {
    const { n, n_unkept } = countWaiting();
    if (n && !confirm(n_unkept ? warn(n_unkept) : ask(n))) return;
    try {
      await endSession();
    } catch (error) {
      // Who cannot be heard stays, and must know.
      byId("leave-problem")?.remove();
      byId("leave").after(make("span", { id: "leave-problem", role: "alert" }, ` You are still here: ${error.message}`));
      return;
    }
    leaveNow();
    location.assign("/");
  });
}

/**
 * End the session.
 *
 * @throws {Unreachable} the server cannot be heard; whoever is here stays.
 */
export async function endSession() {
  try {
    await request("DELETE", "/api/session");
  } catch (error) {
    // Whose session has ended elsewhere is out already.
    if (!(error instanceof Refusal)) throw error;
  }
}

const warn = (n) =>
  `${count(n, "answer has", "answers have")} not been sent yet, and this browser cannot keep ${n === 1 ? "it" : "them"}. ` +
  `If you leave now, ${n === 1 ? "it is" : "they are"} lost. Leave anyway?`;

const ask = (n) =>
  `${count(n, "answer has", "answers have")} not been sent yet. ${n === 1 ? "It stays" : "They stay"} in this browser, and ` +
  `${n === 1 ? "goes" : "go"} out when you open your link here again. Leave anyway?`;
