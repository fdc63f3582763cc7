// Why a passage is among the sources: its ranks by words, meaning and links, in sentences.

import { el, stem } from "./dom.js";
import { numberText, t } from "./i18n.js";

/** Return the reasons for a passage as a list. `why` is as in `search --json`. */
export function whyList(why) {
  const reasons = [];
  const { full_text: words, vector, sparse, graph, rerank } = why;
  if (words) reasons.push(t("why.words", { rank: words.rank, terms: words.terms.join(t("separator")) }));
  if (vector) reasons.push(t("why.meaning", { rank: vector.rank, value: numberText(round(vector.similarity)) }));
  if (sparse) reasons.push(t("why.sparse", { rank: sparse.rank, value: numberText(round(sparse.score)) }));
  if (graph?.rank) reasons.push(t("why.walk", { rank: graph.rank }));
  if (graph?.path.length) reasons.push(t("why.path", { path: pathText(graph.path) }));
  if (rerank !== null && rerank !== undefined) reasons.push(t("why.rerank", { value: numberText(round(rerank)) }));
  return el("ul", { class: "why" }, reasons.map((text) => el("li", { text })));
}

/** Return a short form of the reasons, for one line. */
export function whyShort(why) {
  const parts = [];
  if (why.full_text) parts.push(why.full_text.terms.slice(0, 4).join(" "));
  if (why.vector) parts.push(`≈ ${numberText(round(why.vector.similarity))}`);
  if (why.sparse) parts.push(t("why.sparse.short", { rank: why.sparse.rank }));
  return parts.join(" · ");
}

/** Return the passage of a search that a citation lies in, or null. */
export function passageOf(citation, found) {
  const [first, last] = citation.lines;
  const holds = ({ note, lines }) => note === citation.note && lines[0] <= last && lines[1] >= first;
  return found.results.find(holds) ?? (found.dropped ?? []).find(holds) ?? null;
}

function pathText(hops) {
  const step = ({ name, is_backlink: isBack }) => (isBack ? `←${name ? ` ${name} ` : ""}` : `${name ? ` ${name} ` : ""}→`);
  const ends = hops.map((hop) => stem(hop.is_backlink ? hop.source : hop.target));
  const start = stem(hops[0].is_backlink ? hops[0].target : hops[0].source);
  return [start, ...hops.flatMap((hop, at) => [step(hop).trim(), ends[at]])].join(" ");
}

function round(value) {
  return Math.round(value * 1000) / 1000;
}
