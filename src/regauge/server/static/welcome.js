/** The page for those who have no session: guests may come in. */

import { byId } from "./dom.js";
import { request } from "./requests.js";

const guest = byId("guest");
if (guest) guest.disabled = false;
guest?.addEventListener("click", async () => {
  try {
    await request("POST", "/api/guest");
    location.assign("/");
  } catch (error) {
    byId("problem").textContent = error.message;
  }
});
