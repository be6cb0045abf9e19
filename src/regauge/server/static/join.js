/** Exchanges what stands after the # of a personal link for a session. */

import { byId, setShown } from "./dom.js";
import { endSession } from "./leave.js";
import { Refusal, request } from "./requests.js";

let token = "";

/** Take the token out of the address before anything else sees it, then come in. */
function take() {
  const found = decode(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
  if (found) token = found;
  if (token) comeIn();
  else say("The link is not complete", "A personal link continues after the # with many letters and digits. Please copy all of it.");
}

/** What programs on the way have put into per cent; a link that was cut off among them is a wrong one. */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function comeIn() {
  byId("title").textContent = "One moment …";
  byId("words").textContent = "Your link is being checked.";
  setShown(byId("actions"), false);
  setShown(byId("kept"), false);
  try {
    await request("POST", "/api/session", { token });
    location.replace("/");
  } catch (error) {
    if (error instanceof Refusal && error.status === 409) askToSwitch(error.message);
    else if (error instanceof Refusal) say("This link does not work", error.message);
    else say("No connection", `${error.message} Your link itself may be fine.`, { canTryAgain: true });
  }
}

/** Somebody is here already, and the link is another person's. */
function askToSwitch(words) {
  const { who } = document.body.dataset;
  say("Are you somebody else?", `${words} If you use it, ${who} is signed out first.`, { canSwitch: true });
  byId("stay").textContent = `Stay as ${who}`;
}

async function leaveAndComeIn() {
  try {
    await endSession();
    comeIn();
  } catch (error) {
    byId("words").textContent = `${error.message} Nothing has changed.`;
  }
}

function say(title, words, { canTryAgain = false, canSwitch = false } = {}) {
  byId("title").textContent = title;
  byId("words").textContent = words;
  setShown(byId("again"), canTryAgain);
  setShown(byId("switch"), canSwitch);
  setShown(byId("kept"), canSwitch);
  setShown(byId("actions"), true);
}

byId("again").addEventListener("click", comeIn);
byId("switch").addEventListener("click", leaveAndComeIn);
window.addEventListener("hashchange", take);
take();
