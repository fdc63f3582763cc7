// A note beside what was asked: rendered, or its source lines; the cited lines marked; what it links to and from.

import { get, getRaw, notePath, Problem } from "./api.js";
import { byId, el, icon, stem } from "./dom.js";
import { dayText, linesText, onLanguage, t } from "./i18n.js";
import { linkLists } from "./note_links.js";
import { rendered } from "./note_html.js";
import { markBlocks, sourceLines } from "./note_lines.js";
import { problemText, say } from "./speak.js";
import { current, go, noteHash, subscribe } from "./state.js";

const narrow = matchMedia("(max-width: 999px)");
let shown = null; // {path, note, raw}
let isSource = false; // the source lines instead of the rendered text
let opener = null; // what had the focus when the note was opened
let running = null;

/** Follow the state. */
export function startNote() {
  byId("note-close").addEventListener("click", closeNote);
  narrow.addEventListener("change", cover);
  subscribe((state, previous) => {
    if (state.note === previous.note && state.lines === previous.lines) return;
    if (!state.note) hide();
    else open(state, previous);
  });
  onLanguage(() => shown && current().note && render());
}

/** Close the note; return whether one was open. */
export function closeNote() {
  if (!current().note) return false;
  go({ note: "", lines: "" });
  return true;
}

function hide() {
  running?.abort();
  shown = null;
  byId("note").hidden = true;
  cover();
  markCitations();
  if (opener?.isConnected) opener.focus();
  else byId("main").focus();
  opener = null;
}

// The note lies over the glance, on a narrow screen over everything: what is below it is out of reach meanwhile.
function cover() {
  const isOpen = !byId("note").hidden;
  const isOver = narrow.matches && isOpen;
  document.body.classList.toggle("is-covered", isOver);
  byId("beside").inert = isOpen;
  for (const id of ["top", "main"]) byId(id).inert = isOver;
}

async function open(state, previous) {
  const panel = byId("note");
  if (!previous.note) opener = document.activeElement;
  panel.hidden = false;
  cover();
  markCitations();
  panel.setAttribute("aria-busy", "true");
  running?.abort();
  running = new AbortController();
  try {
    if (shown?.path !== state.note) {
      const note = await get(notePath(state.note), {}, running.signal);
      shown = { path: state.note, note, raw: null };
      isSource = false;
    }
    await render();
    byId("note-title").focus({ preventScroll: true });
    say(t("note.opened", { title: shown.note.note.title }));
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof Problem)) throw error;
    shown = null;
    showProblem(error);
  } finally {
    panel.setAttribute("aria-busy", "false");
  }
}

function showProblem(problem) {
  const text = problem.status === 404 ? t("note.missing") : problemText(problem);
  byId("note-head").replaceChildren(el("h2", { id: "note-title", tabindex: "-1", text: stem(current().note) }));
  byId("note-body").replaceChildren(el("p", { class: "problem", role: "alert", text }));
  byId("note-links").replaceChildren();
  byId("note-title").focus();
}

async function render() {
  const { note } = shown;
  const range = rangeOf(current().lines);
  const body = byId("note-body");
  let target = null;
  if (!isSource) {
    body.replaceChildren(rendered(note.html));
    target = range && markBlocks(body, range);
  }
  // Lines that the rendered text does not show, such as front matter, are shown as they stand in the file.
  if (isSource || (range && !target)) {
    isSource = true;
    shown.raw ??= await getRaw(shown.path, running?.signal);
    body.replaceChildren(sourceLines(shown.raw, range));
    target = range && body.querySelector(".cited");
  }
  byId("note-head").replaceChildren(...headOf(note, range));
  byId("note-links").replaceChildren(...linkLists(note));
  const scroller = byId("note-scroll");
  if (target) target.scrollIntoView({ block: "center" });
  else scroller.scrollTop = 0;
}

function headOf(shape, range) {
  const { note } = shape;
  const facts = [note.path, note.updated && t("note.updated", { date: dayText(note.updated) })];
  return [
    el("h2", { id: "note-title", tabindex: "-1", text: note.title }),
    el("p", { class: "muted note-facts", text: facts.filter(Boolean).join(" · ") }),
    el("div", { class: "chips" }, note.tags.map(tagChip)),
    el("div", { class: "note-tools" },
      range && el("span", { class: "note-cited", text: t("note.cited", { lines: linesText(range) }) }),
      el("button", { type: "button", class: "quiet", on: { click: toggleSource } }, icon(isSource ? "notes" : "lines"),
        el("span", { text: isSource ? t("note.reading") : t("note.source") })),
      el("button", { type: "button", class: "quiet", on: { click: () => showAround(note.path) } }, icon("graph"),
        el("span", { text: t("note.graph") })),
      el("a", { class: "quiet", href: shape.obsidian_url }, icon("out"), el("span", { text: t("obsidian") }))),
  ];
}

function tagChip(tag) {
  const { view, tags } = current();
  const wanted = { view: view === "graph" || view === "changes" ? "notes" : view, tags: [...new Set([...tags, tag])] };
  return el("button", { type: "button", class: "chip", text: `#${tag}`, on: { click: () => go(wanted) } });
}

function showAround(path) {
  go({ view: "graph", name: path, ...(narrow.matches ? { note: "", lines: "" } : {}) });
}

async function toggleSource() {
  isSource = !isSource;
  const range = current().lines;
  if (!isSource && range && !markBlocks(rendered(shown.note.html), rangeOf(range))) go({ lines: "" }, { replace: true });
  await render();
  byId("note-head").querySelector("button.quiet").focus({ preventScroll: true });
}

function rangeOf(lines) {
  const numbers = lines.split("-").map(Number).filter((number) => number > 0);
  return numbers.length ? [numbers[0], numbers.at(-1)] : null;
}

// The citation whose note is open is marked among the sources.
function markCitations() {
  const { note, lines } = current();
  for (const link of document.querySelectorAll("a.cite, a.source-open, a.result-open")) {
    const isOpen = note !== "" && link.getAttribute("href") === noteHash(note, lines);
    if (isOpen) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}
