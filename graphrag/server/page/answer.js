// One answer: status in words, the text with numbered sources, what disagrees, what could not be verified, how it went.

import { get } from "./api.js";
import { el, icon } from "./dom.js";
import { dayText, known, linesText, numberText, t } from "./i18n.js";
import { blocksOf } from "./marked.js";
import { problemBlock } from "./speak.js";
import { go, noteHash } from "./state.js";
import { passageOf, whyList } from "./why.js";

const DRAFT_MARK = /\[来源(\d+)\]/g;

/** Put the frame of an answer that is being made into a place; return what fills it. */
export function draftBlock(place, question) {
  const step = el("span", {});
  const label = el("span", { class: "draft-label", text: t("ask.draft"), hidden: true });
  const status = el("p", { class: "status status-running" }, step, label);
  const body = el("div", { class: "answer-text draft" });
  place.replaceChildren(status, el("h1", { class: "asked", text: question }), body);
  return {
    tell: (text) => (step.textContent = text),
    draft: (text) => {
      label.hidden = false;
      body.replaceChildren(...blocksOf(text.replace(DRAFT_MARK, "[$1]"), draftMark));
    },
    end: (block) => {
      step.textContent = "";
      place.append(block);
    },
  };
}

/** Show a finished answer in a place. */
export function renderAnswer(place, answer, state) {
  const byKey = new Map(answer.citations.map((citation) => [citation.key, citation]));
  const cite = (key) => byKey.has(key) && citationLink(byKey.get(key));
  place.replaceChildren(
    ...[
      statusLine(answer),
      el("h1", { class: "asked", text: answer.question }),
      el("div", { class: "answer-text" }, blocksOf(answer.answer, cite)),
      conflictBlock(answer, cite),
      flagsBlock(answer),
      noticeBlock(answer),
      insteadBlock(answer, state),
      sourcesBlock(answer, state),
      detailsBlock(answer),
    ].filter(Boolean),
  );
}

function draftMark(key) {
  return el("span", { class: "cite cite-draft", text: String(key) });
}

function citationLink(citation) {
  const { key, title } = citation;
  const label = t("cite.label", { key, title });
  return el("a", { class: "cite", href: hrefOf(citation), "aria-label": label, title: label, text: String(key) });
}

function hrefOf({ note, lines }) {
  return noteHash(note, lines.join("-"));
}

function statusLine(answer) {
  const by = byText(answer);
  return el(
    "p",
    { class: `status status-${answer.sure ? answer.status : "unsure"}` },
    el("span", { class: "status-word", text: answer.sure ? known("status", answer.status) : t("status.unsure") }),
    by && el("span", { class: "status-by", text: by }),
  );
}

function byText({ status, route, model }) {
  if (status !== "answered") return "";
  if (model === "extractive") return t("by.extractive");
  if (model === "graph") return { list: t("by.list"), overview: t("by.overview") }[route] ?? t("by.graph");
  return model === "rules" ? "" : t("by.model", { model });
}

function conflictBlock(answer, cite) {
  if (!answer.conflict) return null;
  const sides = (answer.conflicts ?? []).map(({ subject, sides: values }) =>
    el("li", {}, el("span", { class: "conflict-subject", text: subject }), el("ul", {}, values.map((side) => sideItem(side, cite)))),
  );
  const list = sides.length ? el("ul", { class: "conflict-sides" }, sides) : el("p", { text: t("conflict.text") });
  return el("section", { class: "callout callout-warn" }, el("h2", { text: t("conflict") }), list);
}

function sideItem({ value, key, date }, cite) {
  const day = date ? el("span", { class: "muted", text: ` ${dayText(date)}` }) : null;
  return el("li", {}, el("span", { text: value }), cite(key) || null, day);
}

function flagsBlock({ flags = [] }) {
  if (!flags.length) return null;
  const items = flags.map(({ sentence, reason, detail }) =>
    el("li", {}, el("q", { text: sentence }), " ", el("span", { class: "muted", text: flagText(reason, detail) })),
  );
  return el("section", { class: "callout callout-warn" }, el("h2", { text: t("flags") }), el("ul", {}, items));
}

function flagText(reason, detail) {
  const text = known("flag", reason);
  return detail ? t("flag.detail", { reason: text, detail }) : text;
}

function noticeBlock({ notice }) {
  return notice ? el("aside", { class: "callout", "aria-label": t("notice") }, el("p", { text: notice })) : null;
}

function insteadBlock(answer, state) {
  if (["answered", "direct"].includes(answer.status)) return null;
  const press = () => go({ view: "search", q: state.q });
  return el("p", {}, el("button", { type: "button", class: "quiet", text: t("ask.instead"), on: { click: press } }));
}

function sourcesBlock(answer, state) {
  if (!answer.citations.length) return null;
  const found = lazily(() => get("/search", searchQuery(answer, state)));
  const items = answer.citations.map((citation) => sourceItem(citation, found));
  return el(
    "section",
    { class: "sources", "aria-labelledby": "sources-title" },
    el("h2", { id: "sources-title", text: t("sources") }),
    el("ol", { class: "source-list", data: { moves: "" } }, items),
  );
}

function searchQuery(answer, { tags, categories, since, until }) {
  return { q: answer.question, tag: tags, category: categories, since, until, top_k: 20, explain: true };
}

function sourceItem(citation, found) {
  const { key, title, heading, lines, quote, url, origin, changed } = citation;
  const place = heading.filter((part) => part !== title).join(" › ");
  const parts = [place, linesText(lines), changed && t("changed", { date: dayText(changed) })];
  const label = t("sources.open", { key, title, lines: linesText(lines) });
  return el(
    "li",
    { class: "source" },
    el("a", { class: "source-open", href: hrefOf(citation), "aria-label": label, data: { move: "" } },
      el("span", { class: "cite", text: String(key) }),
      el("span", { class: "source-title", text: title }),
      el("span", { class: "muted source-place", text: parts.filter(Boolean).join(" · ") })),
    quote && el("p", { class: "quote", text: quote }),
    el("div", { class: "source-more" },
      whyBlock(citation, found),
      el("a", { class: "out", href: url, "aria-label": t("obsidian.of", { title }) }, icon("out"), el("span", { text: "Obsidian" })),
      /^https?:/i.test(origin) && el("a", { class: "out", href: origin, rel: "noopener noreferrer", target: "_blank" },
        icon("out"), el("span", { text: t("origin") }))),
  );
}

function whyBlock(citation, found) {
  const body = el("div", { class: "why-body" });
  const details = el("details", { class: "why-block" }, el("summary", { text: t("why") }), body);
  details.addEventListener("toggle", async () => {
    if (!details.open || body.childElementCount) return;
    body.replaceChildren(el("p", { class: "muted", text: t("loading") }));
    try {
      const passage = passageOf(citation, await found());
      body.replaceChildren(passage ? whyList(passage.why) : el("p", { class: "muted", text: t("why.fact") }));
    } catch (error) {
      body.replaceChildren(problemBlock(error));
    }
  });
  return details;
}

function detailsBlock(answer) {
  const rows = [[t("details.route"), known("route", answer.route)]];
  if (answer.sub_questions?.length) rows.push([t("details.searched"), answer.sub_questions.join(t("separator"))]);
  for (const [name, spent] of Object.entries(answer.trace)) {
    rows.push([known("stage", name), `${numberText(Math.round(spent))} ms`]);
  }
  const behind = answer.snapshot?.behind?.notes;
  if (behind) rows.push([t("details.index"), t("details.behind", { n: behind })]);
  const list = rows.map(([name, value]) => el("div", {}, el("dt", { text: name }), el("dd", { text: value })));
  return el("details", { class: "how" }, el("summary", { text: t("details") }), el("dl", { class: "facts" }, list));
}

function lazily(make) {
  let made = null;
  return () => (made ??= make());
}
