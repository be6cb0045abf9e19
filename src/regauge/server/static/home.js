/** The pages around the tasks: they send what still waits, and let people go. */

import { byId } from "./dom.js";
import { offerToLeave } from "./leave.js";
import { Outbox } from "./outbox.js";
import { owner } from "./owner.js";
import { showStatus } from "./status.js";

offerToLeave();
if (owner && byId("status")) {
  const outbox = new Outbox();
  showStatus(byId("status"), outbox);
  outbox.flush();
}
