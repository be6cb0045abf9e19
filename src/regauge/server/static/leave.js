/** The button that ends a session. */

import { byId } from "./dom.js";
import { request } from "./requests.js";

/** Let somebody go; answers that were not sent yet stay in this browser for when they come back. */
export function offerToLeave() {
  byId("leave")?.addEventListener("click", async () => {
    await request("DELETE", "/api/session");
    location.assign("/");
  });
}
