// Starts the page: the token, then every part; each part follows the state in the address on its own.

import { onRefused, Problem, takeToken } from "./api.js";
import { startAsk } from "./ask.js";
import { startChanges } from "./changes.js";
import { byId, icon } from "./dom.js";
import { loadFacets } from "./facets.js";
import { startFilters } from "./filters.js";
import { forgetGraph, startGraph } from "./graph.js";
import { applyLanguage, onLanguage, switchLanguage, t } from "./i18n.js";
import { onNewIndex, startStatus } from "./index_status.js";
import { startKeys } from "./keys.js";
import { startNote } from "./note.js";
import { loadRecent, startNotes } from "./notes.js";
import { startResults } from "./results.js";
import { current, start, subscribe } from "./state.js";
import { switchTheme } from "./theme.js";
import { hideToken, showToken, startToken } from "./token.js";
import { loadExamples, renderIfShown } from "./welcome.js";

let isRunning = false;

function startFrame() {
  for (const place of document.querySelectorAll("[data-icon]")) place.prepend(icon(place.dataset.icon));
  applyLanguage();
  byId("language").addEventListener("click", switchLanguage);
  byId("theme").addEventListener("click", switchTheme);
  byId("skip").addEventListener("click", () => byId("main").focus());
  subscribe(showView);
  onLanguage(() => (document.title = titleOf(current())));
  startKeys();
}

function showView(state, previous) {
  const isBox = ["ask", "search"].includes(state.view);
  byId("view-ask").hidden = !isBox;
  byId("answer").hidden = state.view !== "ask";
  byId("results").hidden = state.view !== "search";
  for (const view of ["notes", "graph", "changes"]) byId(`view-${view}`).hidden = state.view !== view;
  byId("glance").hidden = state.view === "graph";
  byId("graph-list").hidden = state.view !== "graph";
  document.body.dataset.view = state.view;
  if (state.view !== previous.view) {
    byId("main").scrollTop = 0;
    window.scrollTo(0, 0);
  }
  document.title = titleOf(state);
  const shown = isBox ? "ask" : state.view;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view !== shown) continue;
    link.href = location.hash; // coming back, a person finds the view as it was left
  }
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === shown) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function titleOf({ view, q }) {
  const name = view === "search" ? t("mode.search") : t(`nav.${view}`);
  return `${q || name} · graphrag`;
}

// A token given later may be another person's: the page begins anew, at the same view.
function enter() {
  if (isRunning) location.reload();
  else startParts();
}

function startParts() {
  isRunning = true;
  hideToken();
  startFilters();
  startAsk();
  startResults();
  startNote();
  startNotes();
  startGraph();
  startChanges();
  start();
  onNewIndex(refresh);
  startStatus();
}

async function refresh() {
  const place = byId("answer");
  renderIfShown(place);
  try {
    await Promise.all([loadFacets(), loadRecent(), loadExamples()]);
    renderIfShown(place);
    forgetGraph();
  } catch (error) {
    if (!(error instanceof Problem)) throw error; // the part that needs it says so when it is used
  }
}

const hasToken = takeToken();
startFrame();
startToken(enter);
onRefused(() => showToken(true));
if (hasToken) enter();
else showToken(false);
