// What changed in the vault lately, note by note, as Git tells it.

import { get, Problem } from "./api.js";
import { byId, el } from "./dom.js";
import { known, onLanguage, t } from "./i18n.js";
import { problemBlock } from "./speak.js";
import { current, noteHash, subscribe } from "./state.js";

const PERIODS = ["7d", "30d", "365d"];
const SECTIONS = 4; // of one note that are named
let period = "30d";
let changes = null;
let running = null;

/** Follow the state. */
export function startChanges() {
  byId("changes-periods").replaceChildren(...PERIODS.map(periodButton));
  subscribe((state, previous) => state.view === "changes" && previous.view !== "changes" && load());
  onLanguage(() => {
    byId("changes-periods").replaceChildren(...PERIODS.map(periodButton));
    if (changes && current().view === "changes") render();
  });
}

function periodButton(name) {
  const press = () => {
    period = name;
    for (const button of byId("changes-periods").children) {
      button.setAttribute("aria-pressed", String(button.dataset.period === name));
    }
    load();
  };
  const attributes = { type: "button", class: "chip", "aria-pressed": String(name === period), data: { period: name } };
  return el("button", { ...attributes, text: t(`changes.${name}`), on: { click: press } });
}

async function load() {
  running?.abort();
  running = new AbortController();
  try {
    changes = await get("/changes", { since: period }, running.signal);
    render();
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof Problem)) throw error;
    changes = null;
    byId("changes-list").replaceChildren(problemBlock(error));
  }
}

function render() {
  const { commits, notes } = changes;
  const summary = notes.length ? t("changes.summary", { commits, n: notes.length }) : t("changes.none");
  byId("changes-list").replaceChildren(
    el("p", { class: "muted", text: summary }),
    el("ul", { class: "change-list", data: { moves: "" } }, notes.map(changeItem)),
  );
}

function changeItem({ kind, path, previous_path: before, title, sections }) {
  const named = sections.map((section) => section.heading.at(-1)).filter((name) => name && name !== title);
  const about = [before && t("changes.was", { path: before }), named.slice(0, SECTIONS).join(t("separator"))];
  const name = kind === "removed"
    ? el("span", { class: "note-name", text: title || path })
    : el("a", { class: "note-name", href: noteHash(path), data: { move: "" }, text: title || path });
  return el("li", {},
    el("span", { class: `change change-${kind}`, text: known("change", kind) }),
    name,
    el("span", { class: "muted", text: about.filter(Boolean).join(" · ") }));
}
