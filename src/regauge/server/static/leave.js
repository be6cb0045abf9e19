/** The button that ends a session. */

import { byId } from "./dom.js";
import { Refusal, request } from "./requests.js";

/** Let somebody go; answers that were not sent yet stay in this browser for when they come back. */
export function offerToLeave() {
  byId("leave")?.addEventListener("click", async () => {
    try {
      await request("DELETE", "/api/session");
    } catch (error) {
      // Whose session has ended elsewhere is out already; who cannot be heard stays.
      if (!(error instanceof Refusal)) return;
    }
    location.assign("/");
  });
}
