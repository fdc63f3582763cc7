// The first view: what this is, and three questions made of the vault's own tags and relations.

import { get } from "./api.js";
import { el } from "./dom.js";
import { currentFacets } from "./facets.js";
import { currentLanguage, t } from "./i18n.js";
import { currentStatus } from "./index_status.js";
import { current, go } from "./state.js";

const HAN = /\p{Script=Han}/u;
const PLAIN = /^[\p{L}\p{N}/+.# -]+$/u; // what reads well inside a question
let relations = []; // named relations of the vault, as {title, name}
let titles = []; // of the best-connected notes

/** Read what the examples are made of. */
export async function loadExamples() {
  const { nodes, edges } = await get("/graph/overview", { limit: 40 });
  const titleOf = new Map(nodes.map((node) => [node.id, node.title]));
  const named = edges.filter((edge) => edge.kind === "property" && edge.name && titleOf.has(edge.source));
  relations = named.map((edge) => ({ title: titleOf.get(edge.source), name: edge.name }));
  titles = nodes.filter((node) => node.kind === "note").map((node) => node.title);
}

/** Put the welcome into a place. */
export function renderWelcome(place) {
  const status = currentStatus();
  if (status && !status.notes) {
    const detail = status.detail && el("p", { class: "muted", text: status.detail });
    place.replaceChildren(el("h1", { text: t("empty.title") }), el("p", { class: "lead", text: t("empty.text") }), detail || "");
    return;
  }
  const examples = examplesOf();
  place.replaceChildren(
    el("h1", { text: t("welcome.title") }),
    el("p", { class: "lead", text: t("welcome.text", { n: status?.notes ?? "…" }) }),
    ...(examples.length ? [el("h2", { class: "small-title", text: t("welcome.try") })] : []),
    el("ul", { class: "examples", data: { moves: "" } }, examples.map(exampleItem)),
  );
}

/** Show the welcome anew if it is what is shown. */
export function renderIfShown(place) {
  const { view, q } = current();
  if (view === "ask" && !q) renderWelcome(place);
}

function examplesOf() {
  const tags = currentFacets().tags.map((facet) => facet.name).filter((name) => PLAIN.test(name));
  const examples = [];
  if (tags[0]) examples.push(t("welcome.overview", { tag: tags[0] }));
  const isChinese = currentLanguage() === "zh";
  const relation = relations.find(({ title, name }) => HAN.test(title) === isChinese && HAN.test(name) === isChinese);
  if (relation ?? relations[0]) examples.push(t("welcome.relation", relation ?? relations[0]));
  if (tags.length) examples.push(t("welcome.list", { tag: tags[1] ?? tags[0] }));
  return [...examples, ...titles.filter((title) => PLAIN.test(title))].slice(0, 3);
}

function exampleItem(text) {
  const press = () => go({ view: "ask", q: text });
  return el("li", {}, el("button", { type: "button", class: "example", text, data: { move: "" }, on: { click: press } }));
}
