// How the index stands: asked for gently, oftener while it is being made, never while the page is hidden.

import { get, Problem } from "./api.js";
import { byId, el } from "./dom.js";
import { known, numberText, onLanguage, t } from "./i18n.js";
import { say } from "./speak.js";

const CALM = 20_000;
const BUSY = 2_000;
const NOTHING = { notes: 0, generation: 0, indexing: null, detail: "" }; // before anything is indexed
let status = null;
let isOffline = false;
let timer = 0;
const listeners = [];

/** Return the last status, null before the first. */
export function currentStatus() {
  return status;
}

/** Call `listener(status)` when another generation answers. */
export function onNewIndex(listener) {
  listeners.push(listener);
}

/** Begin to ask. */
export async function startStatus() {
  document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : poll()));
  onLanguage(render);
  byId("index-button").addEventListener("click", toggle);
  await poll();
}

/** Close the panel; return whether it was open. */
export function closeStatus() {
  const wasOpen = !byId("index-panel").hidden;
  if (wasOpen) toggle();
  return wasOpen;
}

function toggle() {
  const panel = byId("index-panel");
  panel.hidden = !panel.hidden;
  byId("index-button").setAttribute("aria-expanded", String(!panel.hidden));
}

async function poll() {
  clearTimeout(timer);
  try {
    const next = await get("/status");
    const isNew = status !== null && next.generation !== status.generation;
    isOffline = false;
    const isFirst = status === null;
    status = next;
    if (isFirst || isNew) listeners.forEach((listener) => listener(next));
    if (isNew) say(t("index.updated"));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.status === 401) return; // the page begins anew with another token
    if (error.status === 503 && !status) {
      status = { ...NOTHING, detail: error.detail };
      listeners.forEach((listener) => listener(status));
    }
    isOffline = error.status === 0;
  }
  render();
  if (!document.hidden) timer = setTimeout(poll, status?.indexing || !status?.generation ? BUSY : CALM);
}

function render() {
  const indexing = status?.indexing;
  const word = isOffline ? t("index.offline") : indexing ? t("index.running") : t("index.ready", { n: status?.notes ?? 0 });
  byId("index-word").textContent = status || isOffline ? word : "";
  byId("index-button").dataset.state = isOffline ? "offline" : indexing ? "running" : "ready";
  const bar = byId("index-progress");
  bar.hidden = !indexing;
  if (indexing) Object.assign(bar, { max: indexing.total || 1, value: indexing.done });
  byId("brand-name").textContent = status?.vault ? status.vault.split("/").pop() : "graphrag";
  byId("index-facts").replaceChildren(...factsOf().map(([name, value]) => fact(name, value)));
}

function factsOf() {
  if (!status) return [];
  const { indexing, notes, chunks, links, embedded, embedder, commit, generation } = status;
  const rows = [];
  if (indexing) {
    const { step, done, total } = indexing;
    rows.push([t("index.running"), t("index.progress", { step: known("step", step), done, total })]);
  }
  for (const [key, value] of Object.entries({ notes, chunks, links })) {
    if (value !== undefined) rows.push([t(`index.${key}`), numberText(value)]);
  }
  if (embedded !== undefined) rows.push([t("index.embedded"), `${Math.floor(embedded * 100)}%`]);
  if (embedder) rows.push([t("index.embedder"), embedder]);
  if (commit) rows.push([t("index.commit"), commit.slice(0, 7)]);
  return [...rows, [t("index.generation"), String(generation)]];
}

function fact(name, value) {
  return el("div", {}, el("dt", { text: name }), el("dd", { text: value }));
}
