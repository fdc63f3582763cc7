// Without a token: one sentence on how to get the link, and a field for a token.

import { keepToken } from "./api.js";
import { byId } from "./dom.js";
import { t } from "./i18n.js";

/** Bind the form; `enter()` is called when there is a token to try. */
export function startToken(enter) {
  byId("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const given = byId("token-field").value.trim();
    if (!given) return;
    // The whole link may have been pasted.
    keepToken(/#token=([^&\s]+)/.exec(given)?.[1] ?? given);
    byId("token-field").value = "";
    enter();
  });
}

/** Show the field in the place of the page (`is-locked` hides all else), saying so if a token was refused. */
export function showToken(isRefused) {
  document.body.classList.add("is-locked");
  byId("token").hidden = false;
  byId("token-refused").textContent = isRefused ? t("token.refused") : "";
  byId("token-field").focus();
}

/** Show the page again. */
export function hideToken() {
  document.body.classList.remove("is-locked");
  byId("token").hidden = true;
}
