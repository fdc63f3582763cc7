// Search: the best passages for a question, each with its place, its words marked and why it was found.

import { get, Problem } from "./api.js";
import { byId, el } from "./dom.js";
import { linesText, onLanguage, t } from "./i18n.js";
import { withTerms } from "./marked.js";
import { problemBlock, say } from "./speak.js";
import { current, noteHash, subscribe } from "./state.js";
import { whyList, whyShort } from "./why.js";

let shown = null; // {key, found}
let running = null;

/** Follow the state. */
export function startResults() {
  subscribe((state) => {
    if (state.view !== "search") running?.abort();
    else if (shown?.key !== keyOf(state)) run(state);
  });
  onLanguage(() => current().view === "search" && shown && render());
}

async function run(state) {
  running?.abort();
  const controller = new AbortController();
  running = controller;
  const place = byId("results");
  if (!state.q) {
    shown = null;
    place.replaceChildren(el("p", { class: "muted lead", text: t("results.start") }));
    return;
  }
  place.setAttribute("aria-busy", "true");
  try {
    const { q, tags, categories, since, until } = state;
    const query = { q, tag: tags, category: categories, since, until };
    shown = { key: keyOf(state), found: await get("/search", query, controller.signal) };
    render();
    say(t("results.count", { n: shown.found.results.length }));
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof Problem)) throw error;
    shown = null;
    place.replaceChildren(problemBlock(error, () => run(state)));
  } finally {
    if (running === controller) place.setAttribute("aria-busy", "false");
  }
}

function render() {
  const { results, notice } = shown.found;
  const count = results.length ? t("results.count", { n: results.length }) : t("results.none");
  byId("results").replaceChildren(
    el("h1", { class: "small-title", text: count }),
    ...(notice ? [el("p", { class: "callout", text: notice })] : []),
    el("ol", { class: "result-list", data: { moves: "" } }, results.map(resultItem)),
  );
}

function resultItem({ note, title, heading, lines, best_lines: best, why }) {
  const place = [note.split("/").slice(0, -1).join("/"), heading.filter((part) => part !== title).join(" › ")];
  const where = [...place, linesText(lines)].filter(Boolean).join(" · ");
  const terms = why.full_text?.terms ?? [];
  return el(
    "li",
    { class: "result" },
    el("a", { class: "result-open", href: noteHash(note, lines.join("-")), data: { move: "" } },
      el("span", { class: "result-title" }, withTerms(title, terms)),
      el("span", { class: "muted result-place", text: where })),
    el("div", { class: "snippet" }, best.map(({ line, text }) => el("p", {},
      el("a", { class: "muted snippet-line", href: noteHash(note, `${line}-${line}`), text: String(line) }),
      el("span", {}, withTerms(text, terms))))),
    el("details", { class: "why-block" },
      el("summary", {}, el("span", { text: t("why") }), el("span", { class: "muted", text: whyShort(why) })),
      whyList(why)),
  );
}

function keyOf({ q, tags, categories, since, until }) {
  return JSON.stringify([q, tags, categories, since, until]);
}
