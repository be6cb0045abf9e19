/** The study at a glance: campaigns and answers as they come in. */

import { byId, setShown } from "./dom.js";
import { follow } from "./live.js";
import "./manage_common.js";

follow("/api/manage/overview", ({ n_answers: n }) => {
  setShown(byId("answers"), n > 0);
  setShown(byId("no-answers"), n === 0);
});
