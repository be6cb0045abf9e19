/** One campaign: its figures as they change, open and close it, its texts. */

import { byId, count, make, setShown } from "./dom.js";
import { follow } from "./live.js";
import { askWhy, attempt } from "./manage_common.js";
import { request } from "./requests.js";

const { campaign, state, name } = byId("campaign").dataset;
const address = `/api/manage/campaigns/${campaign}`;

const bar = byId("bar");
follow(`${address}/pulse`, (news) => {
  // Somebody opened or closed it elsewhere: the page is another one now, unless something is being typed.
  if (news.state !== state && !isBusy()) location.reload();
  if (bar && bar.value !== news.n_counted) bar.value = news.n_counted;
});

function isBusy() {
  return document.querySelector("dialog[open]") !== null || document.activeElement?.matches("textarea, input");
}

byId("change").addEventListener("click", ({ target }) => {
  const { change } = target.dataset;
  const effect = byId(`${change}-effect`).content.cloneNode(true).children;
  const title = `${change === "open" ? "Open" : "Close"} ${name}?`;
  const action = change === "open" ? "Open campaign" : "Close campaign";
  askWhy({ title, action, isNeeded: false, effect: [...effect] }, async (reason, tell) => {
    await (change === "open" ? open(reason, tell) : request("POST", `${address}/close`, { reason }));
    location.reload();
  });
});

/** Open the campaign; of many images only some are looked at in one request. */
async function open(reason, tell) {
  const body = { reason, leaves_out: byId("leaves-out").checked };
  for (let view = null; view?.state !== "open"; ) {
    view = await request("POST", `${address}/open`, body);
    const { n_checked: n, n_images: all } = view;
    tell(all ? `${n.toLocaleString("en")} of ${all.toLocaleString("en")} images checked …` : "");
  }
}

byId("reports")?.addEventListener("click", ({ target }) => {
  const { takeOut, name: image, reason } = target.dataset;
  if (takeOut === undefined) return;
  const question = { title: `Take ${image} out of ${name}?`, action: "Take out", isDangerous: true, reason };
  askWhy(question, async (why) => {
    await request("POST", `${address}/images/${takeOut}/out`, { reason: why });
    location.reload();
  });
});

byId("make-participants")?.addEventListener("click", () => attempt(makeParticipants));

/** Make participants of people; where they are there with other answers, these are replaced only if that is wanted. */
async function makeParticipants() {
  const question = { title: `Make participants of ${name}?`, action: "Make participants", isNeeded: false };
  const replaces = make("input", { type: "checkbox" });
  const box = make("p", {}, make("label", {}, replaces, " Replace the answers of participants that are there"));
  askWhy({ ...question, effect: [box] }, async (reason) => {
    const { participants, notes } = await request("POST", `${address}/participants`, { reason, replaces: replaces.checked });
    const rows = participants.map((one) => make("li", {}, `${one.participant}: ${count(one.n_answered, "image", "images")} of ${one.test_set}`));
    byId("participants-made").replaceChildren(make("ul", { className: "names-list" }, ...rows), ...notes.map((note) => make("p", { className: "quiet" }, note)));
  });
}

byId("own-data")?.addEventListener("click", ({ target }) => {
  const isAllowed = target.dataset.allow === "true";
  const title = isAllowed ? "Let people see what they answered?" : "Withhold from people what they answered?";
  const words = isAllowed ? "Whoever reads their answers again will remember them if they are tested again." : "Whoever has seen their answers has seen them.";
  askWhy({ title, action: isAllowed ? "Allow it" : "Withhold it", isNeeded: false, effect: [make("p", {}, words)] }, async (reason) => {
    await request("POST", `${address}/own-data`, { reason, is_allowed: isAllowed });
    location.reload();
  });
});

byId("group-review")?.addEventListener("click", ({ target }) => {
  const isOpen = target.dataset.open === "true";
  const title = isOpen ? "Open the answers to the group?" : "Close the group review?";
  const words = isOpen ? "Everybody sees what was answered to the images that they answered themselves, without names." : "Notes that were written stay in the guide.";
  askWhy({ title, action: isOpen ? "Open them" : "Close it", isNeeded: false, effect: [make("p", {}, words)] }, async (reason) => {
    await request("POST", `${address}/group-review`, { reason, is_open: isOpen });
    location.reload();
  });
});

byId("judge")?.addEventListener("click", () => attempt(judge));

/** Say what a judgement would mean for everybody who waits, and judge those alone. */
async function judge() {
  const found = await request("GET", `${address}/judgement`);
  const effect = make("ul", { className: "names-list" });
  for (const one of found) {
    const words = one.outcome === "completed" ? "gets the code" : "was dropped and fails";
    const controls = one.n_controls ? `, ${one.n_controls_right} of ${one.n_controls} controls right` : "";
    effect.append(make("li", { textContent: `${one.annotator}: ${count(one.n_done, "task", "tasks")}${controls}; ${words}` }));
  }
  const question = { title: `Judge ${count(found.length, "visit", "visits")} of ${name}?`, action: "Judge", isNeeded: false };
  askWhy({ ...question, effect: [effect] }, async (reason) => {
    await request("POST", `${address}/judgement`, { reason, looked_at: found.map((one) => one.id) });
    location.reload();
  });
}

// Only a change is a new version: everybody has to agree to it again.
byId("texts-form").addEventListener("input", () => {
  byId("save-texts").disabled = false;
  byId("texts-saved").textContent = "";
});
byId("texts-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  const texts = Object.fromEntries(new FormData(form));
  const button = byId("save-texts");
  button.disabled = true;
  attempt(async () => {
    const sent = { ...texts, version: Number(form.dataset.version) };
    const { version } = await request("POST", `${address}/texts`, sent).catch((error) => {
      button.disabled = false;
      if (error.said?.texts) showTheirs(texts, error.said);
      throw error;
    });
    showVersion(version);
    showTheirs(texts, { version, texts });
    byId("texts-saved").textContent = `Saved as version ${version}`;
  });
});

/** Put what somebody else has saved beside what stands here, where it differs; the next save is a change of theirs. */
function showTheirs(ours, { version, texts }) {
  for (const [name, words] of Object.entries(texts)) {
    const place = byId(`theirs-${name}`);
    place.lastElementChild.textContent = words || "(empty)";
    setShown(place, words !== ours[name]);
  }
  showVersion(version);
}

function showVersion(version) {
  byId("texts-form").dataset.version = version;
  byId("texts-version").textContent = `version ${version}`;
  byId("save-texts").textContent = `Save as version ${version + 1}`;
}
