import assert from "node:assert/strict";
import { test } from "node:test";

const { isWebAddress } = await import("../../src/regauge/server/static/parts/web_address.js");

test("a link may have an at sign behind its host, as profiles have", () => {
  for (const link of ["https://example.org", "HTTP://example.org/a?b=c#d", "https://example.org/@somebody/post"]) assert.ok(isWebAddress(link), link);
});

test("what is no link of the web, names somebody or has blanks is none", () => {
  const wrong = ["", "example.org", "javascript:alert(1)", "//example.org", "http:example.org", "https://", "https://?a", "http://a b", "https://me@example.org", "https://me:word@example.org", "https://example.org\\x", "https://exa mple.org", "https://example.org:port", `https://example.org/${"x".repeat(2000)}`];
  for (const link of wrong) assert.ok(!isWebAddress(link), link);
});
