/** The pages around the tasks: they send what still waits, and let people go. */

import { byId } from "./dom.js";
import { offerToLeave } from "./leave.js";
import { Outbox } from "./outbox.js";
import { showStatus } from "./status.js";

const { who } = document.body.dataset;

offerToLeave();
if (who && byId("status")) {
  const outbox = new Outbox(who);
  showStatus(byId("status"), outbox);
  outbox.flush();
}
