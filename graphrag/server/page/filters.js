// Filters as chips: category, tag and dates with counts, each removable; all of them stand in the address.

import { byId, el, icon } from "./dom.js";
import { countOf, currentFacets, onFacets } from "./facets.js";
import { numberText, onLanguage, t } from "./i18n.js";
import { current, go, subscribe } from "./state.js";

const DAY = 86_400_000;
const NO_FILTERS = { tags: [], categories: [], since: "", until: "" };

/** Return the filters of a state in the shape that the service reads. */
export function filtersOf(state) {
  const { tags, categories, since, until } = state;
  return { tags, categories, paths: [], since: since || null, until: until || null, types: [] };
}

/** Bind the bar of chips and its panel. */
export function startFilters() {
  const button = byId("filters-button");
  button.addEventListener("click", () => toggle(byId("filters-panel").hidden));
  byId("filters-find").addEventListener("input", renderTags);
  for (const key of ["since", "until"]) {
    byId(`filters-${key}`).addEventListener("change", (event) => go({ [key]: event.target.value }));
  }
  byId("filters-done").addEventListener("click", closeFilters);
  document.addEventListener("click", closeOutside);
  subscribe((state, previous) => {
    const view = { ask: "view-ask", search: "view-ask", notes: "view-notes" }[state.view];
    byId("filters").hidden = !view;
    if (view) byId(view).querySelector("[data-filters-here]").append(byId("filters"));
    byId("filters-dates").hidden = state.view === "notes";
    if (["view", "q", "note"].some((key) => state[key] !== previous[key])) toggle(false);
    render();
  });
  onFacets(render);
  onLanguage(render);
}

/** Close the panel; return whether it was open. */
export function closeFilters() {
  const wasOpen = !byId("filters-panel").hidden;
  toggle(false);
  if (wasOpen) byId("filters-button").focus();
  return wasOpen;
}

function toggle(isOpen) {
  byId("filters-panel").hidden = !isOpen;
  byId("filters-button").setAttribute("aria-expanded", String(isOpen));
  if (isOpen) byId("filters-find").value = "";
  if (isOpen) renderTags();
}

function closeOutside(event) {
  const path = event.composedPath(); // a chip that was pressed may be gone from the page already
  if (!byId("filters-panel").hidden && !path.includes(byId("filters"))) toggle(false);
}

function render() {
  const state = current();
  const chips = [
    ...state.categories.map((name) => chip(name, "category", () => go(without("categories", name)))),
    ...state.tags.map((name) => chip(`#${name}`, "tag", () => go(without("tags", name)))),
  ];
  if (state.view !== "notes") {
    for (const key of ["since", "until"]) {
      if (state[key]) chips.push(chip(t(`filters.${key}.chip`, { date: state[key] }), "date", () => go({ [key]: "" })));
    }
  }
  if (chips.length > 1) chips.push(clearButton());
  byId("filters-chips").replaceChildren(...chips);
  byId("filters-since").value = state.since;
  byId("filters-until").value = state.until;
  byId("filters-categories").replaceChildren(...currentFacets().categories.map((facet) => option("categories", facet)));
  byId("filters-presets").replaceChildren(preset(30), preset(365));
  renderTags();
}

function renderTags() {
  const wanted = byId("filters-find").value.trim().toLowerCase();
  const fitting = currentFacets().tags.filter((facet) => facet.name.toLowerCase().includes(wanted));
  const none = el("p", { class: "muted", text: t("filters.none") });
  byId("filters-tags").replaceChildren(...(fitting.length ? fitting.map((facet) => option("tags", facet)) : [none]));
}

function chip(name, kind, remove) {
  const kinds = { category: "categories", tag: "tags" };
  const count = kind in kinds ? countOf(kinds[kind], name.replace(/^#/, "")) : null;
  const press = () => {
    remove();
    byId("filters-button").focus();
  };
  return el(
    "button",
    { type: "button", class: "chip chip-on", title: t("filters.remove"), on: { click: press } },
    el("span", { class: "visually-hidden", text: `${t("filters.remove")} ` }),
    el("span", { text: name }),
    count === null ? null : el("span", { class: "count", text: numberText(count) }),
    icon("close"),
  );
}

function clearButton() {
  const press = () => {
    go(NO_FILTERS);
    byId("filters-button").focus();
  };
  return el("button", { type: "button", class: "quiet", text: t("filters.clear"), on: { click: press } });
}

function option(kind, facet) {
  const isOn = current()[kind].includes(facet.name);
  const press = () => {
    go(isOn ? without(kind, facet.name) : { [kind]: [...current()[kind], facet.name] });
    focusOption(kind, facet.name);
  };
  return el(
    "button",
    {
      type: "button",
      class: "chip",
      "aria-pressed": String(isOn),
      data: { kind, name: facet.name },
      on: { click: press },
    },
    el("span", { text: facet.name }),
    el("span", { class: "count", text: numberText(facet.notes) }),
  );
}

// The options are made anew when one is pressed; the keyboard stays where it was.
function focusOption(kind, name) {
  const same = [...document.querySelectorAll("#filters-panel [data-kind]")];
  same.find((button) => button.dataset.kind === kind && button.dataset.name === name)?.focus();
}

function preset(days) {
  const since = new Date(Date.now() - days * DAY).toISOString().slice(0, 10);
  const press = () => go({ since, until: "" });
  return el("button", { type: "button", class: "chip", text: t(`date.${days}`), on: { click: press } });
}

function without(kind, name) {
  return { [kind]: current()[kind].filter((other) => other !== name) };
}
