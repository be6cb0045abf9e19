/** The page before the first task that explains it: a text, and images with their answers. */

import { byId, count, make, setShown } from "./dom.js";
import { makeClassCard } from "./parts/class_card.js";
import { fetchPicture } from "./pictures.js";
import { request } from "./requests.js";

/** Show the training; resolves when somebody goes on. */
export async function train({ campaign, quiz, lessons }) {
  announce(quiz);
  setShown(byId("training"), true);
  window.scrollTo(0, 0);
  showExamples(campaign, lessons);
  byId("training-done").focus({ preventScroll: true });
  await new Promise((resolve) => byId("training-done").addEventListener("click", resolve, { once: true }));
  setShown(byId("training"), false);
}

function announce({ n_questions: n, n_needed: needed, n_attempts_left: left }) {
  if (!byId("announcement") || !n) return;
  const times = left === 1 ? "one attempt" : `${left} attempts`;
  byId("announcement").textContent =
    `After that come ${count(n, "question", "questions")} like these. After each you see whether you were right; ` +
    `${needed} right ${needed === 1 ? "answer is" : "answers are"} enough, and you have ${times}. There is no hurry.`;
}

/** Examples help, but nobody has to wait for them. */
async function showExamples(campaign, lessons) {
  if (byId("examples").childElementCount) return;
  try {
    const examples = await request("GET", `/api/campaigns/${campaign}/examples`);
    byId("examples").replaceChildren(...group(examples).map((together) => makeGroup(together, lessons)));
  } catch (error) {
    byId("training-problem").textContent = `The examples cannot be shown: ${error.message}`;
  }
}

/** The examples of one class together, those that show it first. */
function group(examples) {
  const groups = new Map();
  for (const one of examples) {
    const { name } = one.asked ?? one.shows;
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  for (const together of groups.values()) together.sort((a, b) => b.is_positive - a.is_positive);
  return [...groups.values()];
}

function makeGroup(examples, lessons) {
  const { name, synonyms, gloss } = examples[0].asked ?? examples[0].shows;
  return make(
    "section",
    { className: "example-group", "aria-label": name },
    makeClassCard({ name, synonyms, gloss }),
    make("div", { className: "example-row" }, ...examples.map((one) => makeExample(one, lessons))),
  );
}

function makeExample({ image, is_positive: isPositive, shows, asked }, lessons) {
  const words = lessons.caption({ shows, asked, isPositive });
  const caption = make("figcaption", { className: isPositive ? "is-right" : "is-wrong" }, `${isPositive ? "✓" : "✗"} ${words}`);
  return make("figure", { className: "example" }, fetchPicture(image, `Example: ${words}`), caption);
}
