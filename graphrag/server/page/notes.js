// All notes, newest first, by title and filters; and the glance at the side: what was updated last, and the tags.

import { get, Problem } from "./api.js";
import { byId, el } from "./dom.js";
import { currentFacets, onFacets } from "./facets.js";
import { dayText, numberText, onLanguage, t } from "./i18n.js";
import { problemBlock } from "./speak.js";
import { current, go, noteHash, subscribe } from "./state.js";

const PAGE = 50;
const RECENT = 6;
const FACETS = 14;
let list = { key: "", total: 0, notes: [] };
let recent = [];
let running = null;

/** Follow the state and fill the glance. */
export function startNotes() {
  byId("notes-form").addEventListener("submit", (event) => {
    event.preventDefault();
    go({ view: "notes", q: byId("notes-find").value.trim() });
  });
  subscribe((state) => {
    if (state.view !== "notes") return;
    byId("notes-find").value = state.q;
    if (list.key !== keyOf(state)) load(state, 0);
  });
  onFacets(renderGlance);
  onLanguage(() => {
    renderGlance();
    if (current().view === "notes") renderList();
  });
}

/** Read what the glance shows; what was listed is read again when it is next looked at. */
export async function loadRecent() {
  list.key = "";
  recent = (await get("/notes", { limit: RECENT })).notes;
  renderGlance();
  if (current().view === "notes") await load(current(), 0);
}

async function load(state, offset) {
  running?.abort();
  running = new AbortController();
  const place = byId("notes-list");
  try {
    const query = { q: state.q, tag: state.tags, category: state.categories, limit: PAGE, offset };
    const { total, notes } = await get("/notes", query, running.signal);
    list = { key: keyOf(state), total, notes: offset ? [...list.notes, ...notes] : notes };
    renderList();
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof Problem)) throw error;
    place.replaceChildren(problemBlock(error, () => load(state, offset)));
  }
}

function renderList() {
  const { total, notes } = list;
  const rest = notes.length < total && el("button", {
    type: "button", class: "quiet", text: t("more"), on: { click: () => load(current(), notes.length) },
  });
  byId("notes-list").replaceChildren(
    el("p", { class: "muted", text: notes.length ? t("count.notes", { n: total }) : t("notes.none") }),
    el("ul", { class: "note-list", data: { moves: "" } }, notes.map(noteItem)),
    ...(rest ? [rest] : []),
  );
}

function noteItem({ path, title, category, updated }) {
  const facts = [category ?? path.split("/").slice(0, -1).join("/"), updated && dayText(updated)];
  return el("li", {},
    el("a", { href: noteHash(path), data: { move: "" } },
      el("span", { class: "note-name", text: title }),
      el("span", { class: "muted", text: facts.filter(Boolean).join(" · ") })));
}

function renderGlance() {
  const [tags, categories] = [currentFacets().tags, currentFacets().categories].map((all) => all.slice(0, FACETS));
  byId("glance").replaceChildren(
    el("section", { class: "glance-recent" },
      el("h2", { class: "small-title", text: t("notes.recent") }),
      el("ul", { class: "note-list", data: { moves: "" } }, recent.map(noteItem))),
    facetBlock("notes.tags", tags, "tags"),
    facetBlock("notes.categories", categories, "categories"),
  );
}

function facetBlock(title, facets, kind) {
  return el("section", { class: "glance-facets" },
    el("h2", { class: "small-title", text: t(title) }),
    el("ul", { class: "chips" }, facets.map((facet) => el("li", {}, facetLink(facet, kind)))));
}

function facetLink({ name, notes }, kind) {
  const press = () => go({ view: "notes", q: "", tags: [], categories: [], [kind]: [name] });
  return el("button", { type: "button", class: "chip", on: { click: press } },
    el("span", { text: name }), el("span", { class: "count", text: numberText(notes) }));
}

function keyOf({ q, tags, categories }) {
  return JSON.stringify([q, tags, categories]);
}
