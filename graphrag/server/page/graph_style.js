// How kinds of points and lines look: colour and shape, or colour and pattern, so that neither is needed alone.

/** Shape and colour of a point by kind; the colour is the name of a custom property. */
export const POINTS = {
  note: { shape: "ellipse", color: "--kind-note" },
  topic: { shape: "diamond", color: "--kind-topic" },
  tag: { shape: "round-rectangle", color: "--kind-tag" },
  term: { shape: "triangle", color: "--kind-term" },
};

/** Pattern and colour of a line by kind. */
export const LINES = {
  relation: { style: "solid", color: "--edge-relation", width: 2 },
  link: { style: "solid", color: "--edge-link", width: 1.2 },
  tag: { style: "dotted", color: "--kind-tag", width: 1.5 },
  inferred: { style: "dashed", color: "--edge-inferred", width: 2 },
  mention: { style: "dotted", color: "--edge-link", width: 1.5 },
  similar: { style: "dashed", color: "--edge-similar", width: 1 },
};

/** Return the style sheet of the canvas in the colours of now. */
export function canvasStyle() {
  const color = readColors();
  return [
    { selector: "node", style: pointStyle(color) },
    ...Object.entries(POINTS).map(([kind, { shape, color: name }]) => ({
      selector: `node[kind = "${kind}"]`,
      style: { shape, "background-color": color(name) },
    })),
    { selector: "node[kind = 'topic'], node[kind = 'term']", style: { width: 18, height: 18 } },
    { selector: "node[?isCenter]", style: { width: 26, height: 26, "font-weight": 600, "font-size": 16 } },
    { selector: "edge", style: lineStyle(color) },
    ...Object.entries(LINES).map(([kind, { style, color: name, width }]) => ({
      selector: `edge[kind = "${kind}"]`,
      style: { "line-style": style, "line-color": color(name), "target-arrow-color": color(name), width },
    })),
    { selector: "edge[kind = 'similar'], edge[kind = 'tag']", style: { "target-arrow-shape": "none" } },
    { selector: "edge[?isQuiet]", style: { label: "", opacity: 0.55, "arrow-scale": 0.6, width: 1.2 } },
    { selector: ".faded", style: { opacity: 0.22 } },
    { selector: "edge:selected", style: { width: 4 } },
    { selector: "node:selected", style: { "border-width": 4, "border-color": color("--ink"), "font-weight": 600 } },
  ];
}

function pointStyle(color) {
  const isNarrow = matchMedia("(max-width: 999px)").matches; // there the whole is drawn smaller
  return {
    width: 16,
    height: 16,
    label: "data(label)",
    color: color("--ink"),
    "font-family": getComputedStyle(document.body).fontFamily,
    "font-size": isNarrow ? 16 : 14,
    "min-zoomed-font-size": 5,
    "text-valign": "bottom",
    "text-margin-y": 4,
    "text-wrap": "wrap",
    "text-max-width": 130,
    "text-outline-width": 2.5,
    "text-outline-color": color("--surface"),
    "border-width": 1.5,
    "border-color": color("--surface"),
    "overlay-opacity": 0,
  };
}

function lineStyle(color) {
  return {
    "curve-style": "bezier",
    "target-arrow-shape": "triangle",
    "arrow-scale": 0.8,
    label: "data(name)",
    color: color("--muted"),
    "font-family": getComputedStyle(document.body).fontFamily,
    "font-size": 11,
    "min-zoomed-font-size": 7,
    "text-rotation": "autorotate",
    "text-outline-width": 2.5,
    "text-outline-color": color("--surface"),
    "overlay-opacity": 0,
  };
}

// A custom property may hold light-dark(…), which only a real property resolves.
function readColors() {
  const probe = document.getElementById("graph-probe");
  return (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
}
