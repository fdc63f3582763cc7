// The question box, and an answer as it comes: stages, a draft, then the checked answer in its place.

import { ask, BROKEN, Problem } from "./api.js";
import { draftBlock, renderAnswer } from "./answer.js";
import { byId, el } from "./dom.js";
import { filtersOf } from "./filters.js";
import { known, onLanguage, t } from "./i18n.js";
import { problemBlock, say } from "./speak.js";
import { current, go, subscribe } from "./state.js";
import { renderWelcome } from "./welcome.js";

const SETTLE = 500; // milliseconds in which several filters may be chosen before the question is put again
const answers = new Map(); // by question and filters, so that going back asks nothing
let running = null; // {key, controller, draft}
let waiting = 0;

/** Bind the form and follow the state. */
export function startAsk() {
  const question = byId("question");
  byId("ask-form").addEventListener("submit", submit);
  byId("stop").addEventListener("click", stopAsking);
  question.addEventListener("keydown", (event) => {
    // Enter also ends what an input method composes, which is no question yet.
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229) submit(event);
  });
  for (const mode of ["ask", "search"]) {
    byId(`mode-${mode}`).addEventListener("change", () => go({ view: mode, q: question.value.trim() }));
  }
  subscribe(show);
  onLanguage(() => {
    labelForm(current());
    if (current().view === "ask" && !running) render(current());
  });
}

/** Stop the answer that is being written; return whether there was one. */
export function stopAsking() {
  const hadOne = running !== null;
  running?.controller.abort();
  return hadOne;
}

function submit(event) {
  event.preventDefault();
  const q = byId("question").value.trim();
  const state = current();
  if (!q) return;
  if (state.view === "ask" && state.q === q) again();
  else go({ view: state.view === "search" ? "search" : "ask", q, note: "", lines: "" });
}

function again() {
  answers.delete(keyOf(current()));
  run(current());
}

function show(state, previous) {
  labelForm(state);
  // What a person is typing stays when something else is opened.
  if (state.q !== previous.q || state.view !== previous.view) byId("question").value = state.q;
  if (state.view !== "ask") {
    stopAsking();
    return;
  }
  if (keyOf(state) === keyOf(previous) && previous.view === "ask" && byId("answer").childElementCount) return;
  clearTimeout(waiting);
  stopAsking();
  if (!state.q || answers.has(keyOf(state))) render(state);
  else if (state.q === previous.q && previous.view === "ask") waiting = setTimeout(() => run(state), SETTLE);
  else run(state);
}

function labelForm(state) {
  if (!["ask", "search"].includes(state.view)) return;
  const question = byId("question");
  question.placeholder = t(`${state.view}.placeholder`);
  byId("send").setAttribute("aria-label", t(`${state.view}.send`));
  byId(`mode-${state.view}`).checked = true;
}

function render(state) {
  const answer = answers.get(keyOf(state));
  if (answer) renderAnswer(byId("answer"), answer, state);
  else renderWelcome(byId("answer"));
}

async function run(state) {
  stopAsking();
  const mine = { key: keyOf(state), controller: new AbortController(), draft: "" };
  running = mine;
  const frame = draftBlock(byId("answer"), state.q);
  frame.tell(t("ask.running"));
  say(t("ask.running"));
  setBusy(true);
  try {
    answers.set(mine.key, await follow(state, mine, frame));
    if (isShown(mine)) {
      render(state);
      say(t("ask.done"));
    }
  } catch (error) {
    const block = failure(error);
    if (isShown(mine)) {
      frame.end(block);
      if (error.name === "AbortError") say(t("ask.stopped"));
    }
  } finally {
    if (running === mine) {
      running = null;
      setBusy(false);
    }
  }
}

// Whether this is still what a person waits for: another question may have taken its place.
function isShown(mine) {
  return running === mine && current().view === "ask" && keyOf(current()) === mine.key;
}

async function follow(state, mine, frame) {
  for await (const { event, data } of ask(state.q, filtersOf(state), mine.controller.signal)) {
    if (event === "stage") {
      if (data.milliseconds === undefined || data.milliseconds === null) frame.tell(stageText(data.name));
    } else if (event === "token") {
      mine.draft += data.text;
      frame.draft(mine.draft);
    } else if (event === "answer") {
      return data;
    } else if (event === "error") {
      throw new Problem(data.status, data.title, data.detail, data.retry_after ?? 0);
    }
  }
  throw new Problem(0, BROKEN);
}

function stageText(name) {
  return name === "generate" ? t("ask.writing") : `${t("ask.running")} ${known("stage", name)}`;
}

function failure(error) {
  if (error.name === "AbortError") {
    const button = el("button", { type: "button", class: "quiet", text: t("ask.again"), on: { click: again } });
    return el("p", { class: "stopped" }, el("span", { text: t("ask.stopped") }), button);
  }
  if (error instanceof Problem) return problemBlock(error, again);
  throw error;
}

function setBusy(isBusy) {
  byId("answer").setAttribute("aria-busy", String(isBusy));
  const hadFocus = document.activeElement;
  byId("send").hidden = isBusy;
  byId("stop").hidden = !isBusy;
  if (hadFocus === byId("send")) byId("stop").focus();
  else if (hadFocus === byId("stop")) byId("question").focus();
}

function keyOf(state) {
  return JSON.stringify([state.q, filtersOf(state)]);
}
