// The graph drawn by Cytoscape: points that can be chosen by pointer or arrow keys, zoom, and a steady layout.

import cytoscape from "./vendor/cytoscape.esm.min.js";
import { cut } from "./dom.js";
import { canvasStyle } from "./graph_style.js";

const LABEL = 28; // characters
const QUIET = 70; // lines, above which their names are left out
const MOVE = 350; // milliseconds
const CLOSE = 1.25; // the zoom at which a few points are shown
const still = matchMedia("(prefers-reduced-motion: reduce)");
const DIRECTIONS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

/** Draw in a container; `onPoint(id)` and `onLine(key)` tell what was pressed. Return what steers the drawing. */
export function drawGraph(container, { onPoint, onLine }) {
  const cy = cytoscape({ container, style: canvasStyle(), minZoom: 0.2, maxZoom: 3, boxSelectionEnabled: false });
  cy.on("tap", "node", (event) => onPoint(event.target.id()));
  cy.on("tap", "edge", (event) => onLine(event.target.data("key")));
  new ResizeObserver(() => cy.resize()).observe(container);
  return {
    cy,
    show: (data, center, hidden) => show(cy, data, center, hidden),
    grow: (data, from, hidden) => grow(cy, data, from, hidden),
    select: (id) => select(cy, id),
    hide: (hidden) => hide(cy, hidden),
    recolor: () => cy.style(canvasStyle()),
    zoom: (factor) => cy.zoom({ level: cy.zoom() * factor, renderedPosition: { x: cy.width() / 2, y: cy.height() / 2 } }),
    fit: () => fit(cy),
    neighbour: (id, key) => neighbour(cy, id, DIRECTIONS[key]),
  };
}

function show(cy, data, center, hidden) {
  cy.elements().remove();
  add(cy, data, center, { x: 0, y: 0 });
  hide(cy, hidden);
  settle(cy, true);
}

// The layout is about as high as wide, and most screens are not.
function widen(cy) {
  const factor = Math.min(Math.max(cy.width() / cy.height(), 1), 1.6);
  cy.nodes().positions((node) => ({ x: node.position("x") * factor, y: node.position("y") }));
  fit(cy);
}

// A few points fill the drawing without becoming huge.
function fit(cy) {
  const seen = cy.elements(":visible");
  cy.fit(seen, 40);
  if (cy.zoom() > CLOSE) {
    cy.zoom(CLOSE);
    cy.center(seen);
  }
}

// What was there stays about where it was; what is new comes out of the point that was expanded.
function grow(cy, data, from, hidden) {
  const added = add(cy, data, null, cy.getElementById(from).position());
  hide(cy, hidden);
  if (added) settle(cy, false, () => look(cy, from));
}

// What was expanded is looked at more closely than the whole, whose names grow small.
function look(cy, id) {
  const near = cy.getElementById(id).closedNeighborhood().filter(":visible");
  if (still.matches) cy.fit(near, 50);
  else cy.animate({ fit: { eles: near, padding: 50 }, duration: MOVE });
}

function add(cy, data, center, around) {
  const nodes = [...data.nodes.values()].filter(({ id }) => cy.getElementById(id).empty());
  const edges = [...data.edges.values()].filter(({ key }) => cy.getElementById(key).empty());
  const isQuiet = edges.length > QUIET; // too many names to be read
  cy.add([
    ...nodes.map((node, at) => ({ group: "nodes", data: pointData(node, center), position: onRing(around, at, nodes.length, node.id === center) })),
    ...edges.map((edge) => ({ group: "edges", data: { ...edge, id: edge.key, isQuiet } })),
  ]);
  return nodes.length + edges.length > 0;
}

function pointData({ id, kind, title }, center) {
  return { id, kind, label: cut(title, LABEL), isCenter: id === center };
}

function onRing({ x, y }, at, count, isCenter) {
  if (isCenter) return { x, y };
  const angle = (2 * Math.PI * at) / count;
  const radius = 140 + (at % 3) * 50;
  return { x: x + radius * Math.cos(angle), y: y + radius * Math.sin(angle) };
}

function settle(cy, isFirst, then = () => {}) {
  const seen = cy.elements(":visible");
  seen.layout({
    name: "cose",
    randomize: false,
    animate: still.matches || isFirst ? false : "end",
    animationDuration: MOVE,
    fit: isFirst,
    stop: () => {
      if (isFirst) widen(cy);
      then();
    },
    padding: 40,
    nodeDimensionsIncludeLabels: true,
    idealEdgeLength: () => (cy.width() < 500 ? 60 : 110),
    nodeRepulsion: () => (cy.width() < 500 ? 8_000 : 30_000),
    nodeOverlap: 18,
    componentSpacing: 80,
    gravity: 0.35,
    numIter: 900,
  }).run();
}

function hide(cy, hidden) {
  cy.batch(() => {
    cy.edges().forEach((edge) => edge.style("display", hidden.has(edge.data("kind")) ? "none" : "element"));
    cy.nodes().forEach((node) => {
      const isAlone = node.connectedEdges().length > 0 && node.connectedEdges().every((edge) => hidden.has(edge.data("kind")));
      node.style("display", isAlone && !node.data("isCenter") ? "none" : "element");
    });
  });
}

function select(cy, id) {
  cy.elements().unselect();
  cy.elements().removeClass("faded");
  const chosen = cy.getElementById(id);
  if (chosen.empty()) return;
  chosen.select();
  const near = chosen.isNode() ? chosen.closedNeighborhood() : chosen.union(chosen.connectedNodes());
  cy.elements().difference(near).addClass("faded");
}

// The nearest point within about 60 degrees of a direction.
function neighbour(cy, id, [dx, dy]) {
  const from = cy.getElementById(id).position();
  let best = null;
  cy.nodes(":visible").forEach((node) => {
    const [x, y] = [node.position("x") - from.x, node.position("y") - from.y];
    const along = x * dx + y * dy;
    const distance = Math.hypot(x, y);
    if (along > 0.5 * distance && distance > 0 && (!best || distance < best.distance)) best = { id: node.id(), distance };
  });
  return best?.id ?? null;
}
