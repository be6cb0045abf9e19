/** The page for those who opened another person's link: they stay, or leave and go on with it. */

import { byId } from "./dom.js";
import { endSession } from "./leave.js";

const address = location.pathname + location.search;
// The address says who somebody is on a platform; it is taken out of sight, also where they stay.
history.replaceState(null, "", location.pathname);

byId("switch").disabled = false;
byId("switch").addEventListener("click", async () => {
  byId("problem").textContent = "";
  try {
    await endSession();
    location.replace(address);
  } catch (error) {
    byId("problem").textContent = error.message;
  }
});
