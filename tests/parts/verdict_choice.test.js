import { clear } from "./page.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const { VERDICTS, makeVerdicts } = await import("../../src/regauge/server/static/parts/verdict_choice.js");

beforeEach(clear);

test("a label has one verdict out of three, each with its key", () => {
  const { boxes, group } = makeVerdicts("7", "tabby cat");
  document.body.append(group);
  assert.equal(group.getAttribute("aria-label"), "tabby cat");
  assert.deepEqual([...group.querySelectorAll("kbd")].map((one) => one.textContent), VERDICTS.map(({ key }) => key));
  boxes[0].checked = true;
  boxes[2].checked = true;
  assert.deepEqual(boxes.map(({ value, checked }) => [value, checked]), [["correct", false], ["wrong", false], ["unclear", true]]);
});

test("two labels are judged apart from each other", () => {
  const [one, other] = ["7", "8"].map((key) => makeVerdicts(key, key));
  document.body.append(one.group, other.group);
  one.boxes[0].checked = true;
  other.boxes[1].checked = true;
  assert.deepEqual([one.boxes[0].checked, other.boxes[1].checked], [true, true]);
});
