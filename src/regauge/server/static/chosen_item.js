/** Somebody may come to one task in particular, such as an item of a discussion: the address of the page names it. */

import { byId } from "./dom.js";
import { request } from "./requests.js";

/**
 * Put the task that the address names before all others; nothing where it names none.
 *
 * @param {number} campaign
 * @param {object} desk
 * @param {import("./outbox.js").Outbox} desk.outbox
 * @param {import("./desk_types.js").Task[]} desk.queue
 */
export async function addChosen(campaign, { outbox, queue }) {
  const item = new URLSearchParams(location.search).get("item");
  if (!item || !/^\d+$/.test(item)) return;
  try {
    const task = await request("GET", `/api/campaigns/${campaign}/discussion/items/${item}`);
    if (!outbox.has(task.id)) queue.push({ ...task, returned: task.returned || " " });
  } catch (error) {
    byId("status").textContent = error instanceof Error ? error.message : "";
  }
}
