/** The text that people agree to before they see tasks. */

import { byId, setShown } from "./dom.js";
import { owner } from "./owner.js";
import { tabStore } from "./parts/store.js";
import { request } from "./requests.js";

/** Wait until somebody has agreed to the present text; those who did before are not asked again. */
export async function waitForConsent({ campaign, version, isGiven, isGuest }) {
  const guestKey = `regauge.consent.${owner}.${campaign}.${version}`;
  if (isGiven || (isGuest && tabStore.read(guestKey) !== null)) {
    if (byId("warning")) setShown(byId("warning"), false);
    setShown(byId("consent"), false);
    return;
  }
  await waitForWarning();
  setShown(byId("consent"), true);
  offer(byId("agree"));
  await new Promise((resolve) => {
    byId("agree").addEventListener("click", async () => {
      if (await agree(campaign, version)) resolve(true);
    });
  });
  // Where the browser keeps nothing, they are asked again next time.
  if (isGuest) tabStore.write(guestKey, "given");
  setShown(byId("consent"), false);
}

/** Where the images may show what somebody does not want to see, that is said before anything else. */
async function waitForWarning() {
  const warning = byId("warning");
  if (!warning) return;
  setShown(byId("consent"), false);
  setShown(warning, true);
  offer(byId("warned"));
  await new Promise((resolve) => byId("warned").addEventListener("click", resolve, { once: true }));
  setShown(warning, false);
}

/** A button does nothing before its script is there, and shows it. */
function offer(button) {
  button.disabled = false;
  button.focus({ preventScroll: true });
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
