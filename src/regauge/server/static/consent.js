/** The text that people agree to before they see tasks. */

import { byId, setShown } from "./dom.js";
import { request } from "./requests.js";

/** Wait until somebody has agreed to the present text; those who did before are not asked again. */
export async function waitForConsent({ campaign, version, isGiven, isGuest }) {
  const guestKey = `regauge.consent.${campaign}.${version}`;
  if (isGiven || (isGuest && sessionStorage.getItem(guestKey))) {
    setShown(byId("consent"), false);
    return;
  }
  setShown(byId("consent"), true);
  byId("agree").focus({ preventScroll: true });
  await new Promise((resolve) => {
    byId("agree").addEventListener("click", async () => {
      if (await agree(campaign, version)) resolve();
    });
  });
  if (isGuest) sessionStorage.setItem(guestKey, "given");
  setShown(byId("consent"), false);
}

async function agree(campaign, version) {
  byId("agree").disabled = true;
  try {
    await request("POST", `/api/campaigns/${campaign}/consent`, { version });
    return true;
  } catch (error) {
    byId("consent-problem").textContent = error.message;
    return false;
  } finally {
    byId("agree").disabled = false;
  }
}
