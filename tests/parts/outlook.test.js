import assert from "node:assert/strict";
import { test } from "node:test";

const { tellOutlook, tellTime } = await import("../../src/regauge/server/static/parts/outlook.js");

test("what is left is told with its time and its pay", () => {
  assert.equal(tellOutlook({ left: 2, seconds: 180, perTask: 0.4, currency: "USD" }), "2 left: about 6 minutes, 0.80 USD");
  assert.equal(tellOutlook({ left: 1, seconds: 38, perTask: 0.004, currency: "EUR" }), "1 left: about 40 seconds, 0.004 EUR");
  assert.equal(tellOutlook({ left: 2000, seconds: null, perTask: 1.25, currency: "USD" }), "2,000 left: 2,500.00 USD");
});

test("what is not known is left out, and where nothing is left nothing is said", () => {
  assert.equal(tellOutlook({ left: 3, seconds: 60, perTask: null, currency: "" }), "3 left: about 3 minutes");
  assert.equal(tellOutlook({ left: 3, seconds: null, perTask: null, currency: "" }), "");
  assert.equal(tellOutlook({ left: 0, seconds: 60, perTask: 1, currency: "USD" }), "");
});

test("times are told as the server tells them", () => {
  const told = [4, 38, 50, 80, 360, 2600, 3500, 5300, 36000].map(tellTime);
  assert.deepEqual(told, ["10 seconds", "40 seconds", "1 minute", "1 minute", "6 minutes", "45 minutes", "1 hour", "1.5 hours", "10 hours"]);
});
