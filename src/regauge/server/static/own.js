/** The page about one's own data: ask to be erased. */

import { byId, setShown } from "./dom.js";
import { offerToLeave } from "./leave.js";
import { request } from "./requests.js";

offerToLeave();
byId("erasure").addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = event.target.querySelector("button");
  byId("problem").textContent = "";
  button.disabled = true;
  try {
    await request("POST", "/api/me/erasure", { with_answers: byId("with-answers").checked });
    byId("asked").textContent = "Your request was sent. The people who run the study can see it and will carry it out.";
    setShown(byId("asked"), true);
    setShown(event.target, false);
  } catch (error) {
    byId("problem").textContent = error.message;
  } finally {
    button.disabled = false;
  }
});
