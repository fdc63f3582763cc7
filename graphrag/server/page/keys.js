// The keyboard: `/` to the question, arrows through lists, Esc one step back, `?` for the table of keys.

import { stopAsking } from "./ask.js";
import { byId } from "./dom.js";
import { closeFilters } from "./filters.js";
import { closeStatus } from "./index_status.js";
import { closeNote } from "./note.js";
import { current, go } from "./state.js";

const FIELDS = "textarea, select, input:not([type=radio], [type=checkbox])";
const STEPS = { ArrowDown: 1, ArrowUp: -1 };

/** Bind the keys of the page. */
export function startKeys() {
  document.addEventListener("keydown", press);
  byId("keys-button").addEventListener("click", () => byId("keys").showModal());
  byId("keys-close").addEventListener("click", () => byId("keys").close());
}

/** Bring the focus to the question. */
export function focusQuestion() {
  if (!["ask", "search"].includes(current().view)) go({ view: "ask", q: "" });
  byId("question").focus();
  byId("question").select();
}

function press(event) {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  const isTyping = event.target.matches(FIELDS);
  if (event.key === "Escape") escape(event);
  else if (event.key in STEPS) move(event, STEPS[event.key]);
  else if (event.key === "/" && !isTyping) use(event, focusQuestion);
  else if (event.key === "?" && !isTyping) use(event, () => byId("keys").showModal());
}

function escape(event) {
  if (closeFilters() || closeStatus() || stopAsking() || closeNote()) event.preventDefault();
  else if (event.target.closest("[data-moves]")) use(event, focusQuestion);
  else if (event.target.id === "question") event.target.blur();
}

function move(event, step) {
  const { target } = event;
  if (target.id === "question") {
    const isLastLine = step === 1 && !target.value.slice(target.selectionEnd).includes("\n");
    if (isLastLine) use(event, () => itemsOf(firstList())[0]?.focus());
    return;
  }
  const list = target.closest("[data-moves]");
  if (!list || target.matches("input, textarea, select")) return;
  const items = itemsOf(list);
  const inItem = items.findIndex((item) => item === target || item.closest("li")?.contains(target));
  const next = items[inItem + step];
  if (next) use(event, () => next.focus());
  else if (step === -1 && byId("main").contains(list)) use(event, focusQuestion);
}

function firstList() {
  return [...byId("main").querySelectorAll("[data-moves]")].find((list) => list.checkVisibility() && list.children.length);
}

function itemsOf(list) {
  return list ? [...list.querySelectorAll("[data-move]")] : [];
}

function use(event, action) {
  event.preventDefault();
  action();
}
