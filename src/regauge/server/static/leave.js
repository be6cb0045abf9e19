/** The button that ends a session. */

import { byId } from "./dom.js";
import { Refusal, request } from "./requests.js";

/** Let somebody go; answers that were not sent yet stay in this browser for when they come back. */
export function offerToLeave() {
  byId("leave")?.addEventListener("click", async () => {
    try {
      await endSession();
    } catch {
      return;
    }
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
