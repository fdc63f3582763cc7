// The text of an answer -> elements: paragraphs, lists, fenced code, and a button for every [N]. It reads no other markup.

import { el } from "./dom.js";
import { t } from "./i18n.js";

const MARK = /\[(?:来源)?(\d+)\]|\[(未证实|unverified)\]/g;
const BULLET = /^\s*(?:[-*•])\s+/;
const NUMBER = /^\s*(\d+)[.、)]\s*/;
const FENCE = /^\s*(`{3,}|~{3,})/;

/** Return the blocks of a text; `makeCitation(key)` gives the element of a mark, or null for plain text. */
export function blocksOf(text, makeCitation) {
  const blocks = [];
  let code = null;
  for (const line of text.split("\n")) {
    if (FENCE.test(line)) {
      code = code ? null : el("code", {});
      if (code) blocks.push(el("pre", {}, code));
      continue;
    }
    if (code) {
      code.append(code.hasChildNodes() ? `\n${line}` : line);
      continue;
    }
    if (!line.trim()) continue;
    const tag = BULLET.test(line) ? "ul" : NUMBER.test(line) ? "ol" : "p";
    if (tag === "p") {
      blocks.push(el("p", {}, inline(line, makeCitation)));
      continue;
    }
    const item = el("li", {}, inline(line.replace(tag === "ul" ? BULLET : NUMBER, ""), makeCitation));
    const last = blocks.at(-1);
    if (last?.localName === tag) last.append(item);
    else blocks.push(el(tag, tag === "ol" ? { start: NUMBER.exec(line)[1] } : {}, item));
  }
  return blocks;
}

/** Return a text with the terms that it holds marked, case aside; the longest term wins. */
export function withTerms(text, terms) {
  const wanted = terms.filter(Boolean).sort((one, other) => other.length - one.length);
  if (!wanted.length) return [text];
  const pattern = new RegExp(`(${wanted.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "giu");
  return text.split(pattern).map((part, at) => (at % 2 ? el("mark", { text: part }) : part));
}

function inline(line, makeCitation) {
  const parts = [];
  let end = 0;
  for (const match of line.matchAll(MARK)) {
    parts.push(line.slice(end, match.index).replace(/\s+$/, ""));
    parts.push(match[1] ? (makeCitation(Number(match[1])) ?? match[0]) : unverified());
    end = match.index + match[0].length;
  }
  return [...parts, line.slice(end)];
}

function unverified() {
  return el("span", { class: "unverified", text: t("unverified") });
}
