// What a note links to and what links to it, once for each note and relation.

import { el, stem } from "./dom.js";
import { numberText, t } from "./i18n.js";
import { go, noteHash } from "./state.js";

const IS_NOTE = /\.(md|markdown|canvas)$/i;

/** Return the two lists of a note as elements. */
export function linkLists({ backlinks, outgoing }) {
  return [
    linkList("note.backlinks", backlinks, (relation) => relation.source),
    linkList("note.outgoing", outgoing, (relation) => relation.target),
  ];
}

function linkList(title, relations, otherEnd) {
  const ends = new Map();
  for (const relation of relations) {
    const end = otherEnd(relation);
    const known = ends.get(end) ?? { end, names: new Set(), note: relation.note, line: relation.line };
    if (relation.name) known.names.add(relation.name);
    ends.set(end, known);
  }
  const items = [...ends.values()].map(linkItem);
  return el(
    "section",
    { class: "links" },
    el("h3", {}, el("span", { text: t(title) }), el("span", { class: "count", text: numberText(items.length) })),
    items.length ? el("ul", { data: { moves: "" } }, items) : el("p", { class: "muted", text: t("note.none") }),
  );
}

function linkItem({ end, names }) {
  const relation = names.size ? el("span", { class: "relation-name", text: [...names].join(t("separator")) }) : null;
  const folder = end.split("/").slice(0, -1).join("/");
  const where = IS_NOTE.test(end) && folder ? el("span", { class: "muted", text: folder }) : null;
  const link = IS_NOTE.test(end)
    ? el("a", { href: noteHash(end), data: { move: "" }, text: stem(end) })
    : el("button", { type: "button", class: "topic", title: t("note.topic"), text: end, data: { move: "" }, on: { click: () => go({ view: "graph", name: end }) } });
  return el("li", {}, link, relation, where);
}
