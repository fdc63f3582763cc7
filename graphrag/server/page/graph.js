// The neighbourhood view: the drawing, its legend, and the same as a list beside it.

import { get, Problem } from "./api.js";
import { byId, el } from "./dom.js";
import { currentFacets, onFacets } from "./facets.js";
import { GraphData } from "./graph_data.js";
import { lineBlocks, pointBlocks } from "./graph_list.js";
import { LINES, POINTS } from "./graph_style.js";
import { onLanguage, t } from "./i18n.js";
import { problemBlock, say } from "./speak.js";
import { current, go, subscribe } from "./state.js";
import { onTheme } from "./theme.js";

const narrow = matchMedia("(max-width: 999px)");
const AROUND = () => (narrow.matches ? 20 : 40); // neighbours of the centre
const MORE = () => (narrow.matches ? 10 : 20); // of a point that is expanded
const OVERVIEW = () => (narrow.matches ? 16 : 30);
const hidden = new Set(["similar"]);
let data = new GraphData();
let drawing = null;
let shownName = null; // the centre that is drawn; "" is the overview
let chosen = null; // {point: id} or {line: key}

/** Follow the state. */
export function startGraph() {
  byId("graph-form").addEventListener("submit", (event) => {
    event.preventDefault();
    go({ name: byId("graph-name").value.trim() });
  });
  byId("graph-canvas").addEventListener("keydown", steer);
  for (const [id, act] of Object.entries({ in: () => drawing.zoom(1.3), out: () => drawing.zoom(1 / 1.3), fit: () => drawing.fit() })) {
    byId(`graph-zoom-${id}`).addEventListener("click", () => drawing && act());
  }
  subscribe((state) => {
    if (state.view !== "graph") return;
    byId("graph-name").value = state.name;
    if (shownName !== state.name) load(state.name);
  });
  onFacets(fillNames);
  onTheme(() => drawing?.recolor());
  onLanguage(() => current().view === "graph" && describe());
}

/** Forget what is drawn: the index is another one. */
export function forgetGraph() {
  shownName = null;
  if (current().view === "graph") load(current().name);
}

async function load(name) {
  shownName = name;
  const place = byId("graph-problem");
  place.replaceChildren();
  try {
    const fresh = new GraphData();
    if (name) fresh.addNear(await get("/graph/near", { name, hops: 1, limit: AROUND() }));
    else fresh.addOverview(await get("/graph/overview", { limit: OVERVIEW() }));
    const { drawGraph } = await import("./graph_canvas.js"); // half a megabyte that other views do not need
    if (shownName !== name) return;
    drawing ??= drawGraph(byId("graph-drawing"), { onPoint: expand, onLine: chooseLine });
    data = fresh;
    const center = name ? [...data.around.keys()][0] : null;
    chosen = center ? { point: center } : null;
    drawing.show(data, center, hidden);
    describe();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (shownName !== name) return;
    place.replaceChildren(problemBlock(error));
    data = new GraphData();
    chosen = null;
    drawing?.show(data, null, hidden);
    describe();
  }
}

async function expand(id) {
  const shown = data;
  chosen = { point: id };
  if (!shown.around.has(id)) {
    try {
      const near = await get("/graph/near", { name: id, hops: 1, limit: MORE() });
      if (shown !== data) return; // another graph took its place
      const added = data.addNear(near);
      drawing.grow(data, id, hidden);
      say(t("graph.expanded", { title: data.nodes.get(id).title, n: added.length }));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      byId("graph-problem").replaceChildren(problemBlock(error));
    }
  }
  describe();
}

function chooseLine(key) {
  chosen = { line: key };
  describe();
}

function describe() {
  if (drawing) drawing.select(chosen?.point ?? chosen?.line ?? "");
  byId("graph-canvas").setAttribute("aria-label", t("graph.canvas", { n: data.nodes.size, m: data.edges.size }));
  const place = byId("graph-list");
  const titleOf = (id) => data.nodes.get(id)?.title ?? id;
  if (chosen?.line) place.replaceChildren(...lineBlocks(data.edges.get(chosen.line), titleOf));
  else if (chosen?.point) {
    place.replaceChildren(...pointBlocks(data.nodes.get(chosen.point), data.around.get(chosen.point), actions));
  } else place.replaceChildren(...(data.nodes.size ? overviewBlocks() : []));
  renderLegend();
}

const actions = {
  expand: async (id) => {
    await expand(id);
    byId("graph-chosen").focus();
  },
  center: (id) => go({ name: id }),
};

function overviewBlocks() {
  const best = [...data.nodes.values()].map((node) => [node, data.degree(node.id)]).sort((one, other) => other[1] - one[1]);
  const items = best.map(([node, degree]) =>
    el("li", {},
      el("button", { type: "button", class: `point point-${node.kind}`, text: node.title, data: { move: "" }, on: { click: () => actions.expand(node.id) } }),
      el("span", { class: "count", text: String(degree) })));
  return [
    el("h2", { text: t("graph.overview") }),
    el("p", { class: "muted", text: t("graph.hint") }),
    el("section", { class: "links" }, el("ul", { data: { moves: "" } }, items)),
  ];
}

function renderLegend() {
  const kinds = new Set([...data.nodes.values()].map((node) => node.kind));
  const lines = new Set([...data.edges.values()].map((edge) => edge.kind));
  const points = Object.keys(POINTS).filter((kind) => kinds.has(kind));
  byId("graph-legend").replaceChildren(
    ...points.map((kind) => el("li", { class: "legend-point" }, el("span", { class: `swatch point-${kind}` }), el("span", { text: t(`kind.${kind}`) }))),
    ...Object.keys(LINES).filter((kind) => lines.has(kind)).map(lineSwitch),
  );
}

function lineSwitch(kind) {
  const box = el("input", { type: "checkbox", checked: !hidden.has(kind) });
  box.addEventListener("change", () => {
    if (box.checked) hidden.delete(kind);
    else hidden.add(kind);
    drawing.hide(hidden);
  });
  return el("li", {}, el("label", {}, box, el("span", { class: `stroke stroke-${kind}` }), el("span", { text: t(`edge.${kind}`) })));
}

function steer(event) {
  if (!drawing || !data.nodes.size) return;
  const at = chosen?.point ?? [...data.nodes.keys()][0];
  if (event.key === "Enter") {
    event.preventDefault();
    expand(at);
  } else if (event.key.startsWith("Arrow")) {
    event.preventDefault();
    chosen = { point: drawing.neighbour(at, event.key) ?? at };
    describe();
    say(data.nodes.get(chosen.point).title);
  }
}

function fillNames() {
  const tags = currentFacets().tags.slice(0, 30).map(({ name }) => el("option", { value: `#${name}` }));
  byId("graph-names").replaceChildren(...tags);
}
