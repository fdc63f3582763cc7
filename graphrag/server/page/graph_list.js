// What lies around one point as text: the same as the drawing shows, group by group, for eyes and screen readers.

import { el, icon, stem } from "./dom.js";
import { known, linesText, numberText, t } from "./i18n.js";
import { noteHash } from "./state.js";

/** Return the elements that describe an expanded point. `actions`: expand(id), center(id). */
export function pointBlocks(entity, near, actions) {
  return [
    el("h2", { id: "graph-chosen", tabindex: "-1", text: entity.title }),
    el("p", { class: "muted", text: entity.kind === "note" ? entity.id : t(`kind.${entity.kind}`) }),
    el("div", { class: "note-tools" },
      entity.kind === "note" && el("a", { class: "quiet", href: noteHash(entity.id) }, icon("notes"), el("span", { text: t("graph.open") })),
      el("button", { type: "button", class: "quiet", on: { click: () => actions.center(entity.id) } }, icon("graph"),
        el("span", { text: t("graph.center") }))),
    ...(near ? groupsOf(near).map(([name, items]) => groupBlock(name, items, actions)) : []),
    near?.omitted ? el("p", { class: "muted", text: t("graph.more", { n: near.omitted }) }) : "",
  ];
}

/** Return the elements that describe a line: what it says, and the lines of notes that say it or that it follows from. */
export function lineBlocks(edge, titleOf) {
  const name = edge.name || t(`edge.${edge.kind}`);
  const title = `${titleOf(edge.source)} → ${name} → ${titleOf(edge.target)}`;
  const heading = edge.kind === "inferred" ? t("graph.proof") : t("graph.said");
  return [
    el("h2", { id: "graph-chosen", tabindex: "-1", text: title }),
    el("p", { class: "muted", text: t(`edge.${edge.kind}`) }),
    edge.places.length ? el("h3", { text: heading }) : "",
    placeList(edge.places),
  ];
}

// Groups by the name of the relation and its direction, in the order in which the service tells them.
function groupsOf(near) {
  const groups = new Map();
  const add = (name, item) => groups.set(name, [...(groups.get(name) ?? []), item]);
  for (const { entity, relation, via } of near.neighbors) {
    if (via !== near.center.id) continue;
    const isBack = relation.source === entity.id;
    const named = relation.name && (isBack ? t("near.of", { name: relation.name }) : relation.name);
    const plain = relation.kind === "tag" ? t("edge.tag") : isBack ? t("near.backlinks") : t("edge.link");
    add(named || plain, { entity, places: [{ path: relation.note, line: relation.line }] });
  }
  near.inferred.forEach(({ entity, name, is_backlink: isBack, places }) => {
    const label = isBack ? t("near.of", { name }) : name;
    add(t("near.inferred", { name: label }), { entity, places, isInferred: true });
  });
  near.mentions.forEach(({ entity, is_backlink: isBack, places }) => {
    add(isBack ? t("near.mentioned") : t("near.mentions"), { entity, places });
  });
  near.shared_tags.forEach(({ entity, tags }) => add(t("near.shared_tags"), { entity, detail: tags.map((tag) => `#${tag}`).join(" ") }));
  near.shared_terms.forEach(({ entity, terms }) => add(t("near.shared_terms"), { entity, detail: terms.join(t("separator")) }));
  near.similar.forEach(({ entity, weight }) => add(t("edge.similar"), { entity, detail: numberText(Math.round(weight * 100) / 100) }));
  return [...groups];
}

function groupBlock(name, items, actions) {
  return el(
    "section",
    { class: "links" },
    el("h3", {}, el("span", { text: name }), el("span", { class: "count", text: numberText(items.length) })),
    el("ul", { data: { moves: "" } }, items.map((item) => groupItem(item, actions))),
  );
}

function groupItem({ entity, places = [], detail = "", isInferred = false }, actions) {
  const label = t("graph.expand", { title: entity.title });
  const press = () => actions.expand(entity.id);
  return el(
    "li",
    {},
    el("button", { type: "button", class: `point point-${entity.kind}`, title: label, data: { move: "" }, on: { click: press } },
      el("span", { class: "visually-hidden", text: `${known("kind", entity.kind)} ` }), el("span", { text: entity.title })),
    detail && el("span", { class: "muted", text: detail }),
    isInferred && el("div", { class: "proof" }, el("span", { class: "muted", text: t("graph.proof") }), placeList(places)),
  );
}

function placeList(places) {
  return el("ul", { class: "places" }, places.map(({ path, line }) =>
    el("li", {}, el("a", { href: noteHash(path, line ? String(line) : ""), text: line ? `${stem(path)} · ${linesText([line, line])}` : stem(path) })),
  ));
}
