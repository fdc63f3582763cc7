// Tells a screen reader what changed, and shows problems in words.

import { BROKEN } from "./api.js";
import { byId, el } from "./dom.js";
import { t } from "./i18n.js";

/** Say something without moving the focus. */
export function say(text) {
  byId("announcer").textContent = text;
}

/** Return a problem in words. */
export function problemText(problem) {
  if (problem.status === 0) return problem.title === BROKEN ? t("error.cut") : t("error.unreachable");
  if (problem.status === 403) return t("error.forbidden", { detail: problem.detail || problem.title });
  if (problem.retryAfter) return t("error.busy", { seconds: problem.retryAfter });
  return problem.detail || problem.title || t("error");
}

/** Return a block that shows a problem, with a way to try again where one is given. */
export function problemBlock(problem, again = null) {
  const button = again && el("button", { type: "button", class: "quiet", text: t("retry"), on: { click: again } });
  return el("div", { class: "problem", role: "alert" }, el("p", { text: problemText(problem) }), button);
}
