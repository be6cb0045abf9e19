/** What scripts of the pages hold to, beyond what `tsc` checks. */

import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    rules: {
      curly: ["error", "multi-line"],
      eqeqeq: ["error", "always", { null: "ignore" }],
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", 40],
      "max-params": ["error", 4],
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "Make elements by `make`: what people wrote is text, never markup." },
        { property: "outerHTML", message: "Make elements by `make`." },
        { property: "insertAdjacentHTML", message: "Make elements by `make`." },
        { object: "window", property: "localStorage", message: "Use `browserStore`: storage may fail." },
      ],
      "no-restricted-globals": [
        "error",
        { name: "localStorage", message: "Use `browserStore`: storage may fail." },
        { name: "sessionStorage", message: "Use `tabStore`: storage may fail." },
      ],
      "no-var": "error",
      "prefer-const": "error",
    },
  },
  { files: ["src/**/*.js", "tests/verify/page/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["src/**/parts/store.js"], rules: { "no-restricted-properties": "off" } },
  // The server's own markup, read into a document that is shown nowhere.
  { files: ["src/**/static/live.js"], rules: { "no-restricted-properties": "off" } },
  { files: ["tests/parts/*.js"], languageOptions: { globals: { ...globals.browser, ...globals.node } }, rules: { "no-restricted-globals": "off", "max-lines-per-function": "off" } },
];
