// Makes elements without markup in strings: nothing from a note or an answer is ever read as HTML here.

/** Return a new element. `props`: class, text, on {event: listener}, data {name: value}; the rest are attributes.
 *  Children that are false, null or empty are left out. */
export function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.className = value;
    else if (name === "text") element.textContent = value;
    else if (name === "on") Object.entries(value).forEach(([type, listener]) => element.addEventListener(type, listener));
    else if (name === "data") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child instanceof Node || (child && child !== true)));
  return element;
}

/** Return the element with this id; the page is broken without it. */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** Return an icon of 20 by 20 made of stroked paths; it says nothing to a screen reader. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 20 20", "aria-hidden": "true", class: "icon" })) {
    svg.setAttribute(key, value);
  }
  for (const d of ICONS[name]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}

const ICONS = {
  ask: ["M4 4.5h12v9H9l-3.5 3v-3H4z"],
  notes: ["M5.5 3h6.5l3 3v11h-9.5z", "M8 9h5M8 12h5"],
  graph: ["M6.6 8.2l6.2-2.6M6.6 11.6l6 2.9", "M5 7.7a2.2 2.2 0 1 0 0 4.4a2.2 2.2 0 1 0 0-4.4", "M14.8 3a1.9 1.9 0 1 0 0 3.8a1.9 1.9 0 1 0 0-3.8", "M14.6 13.3a1.9 1.9 0 1 0 0 3.8a1.9 1.9 0 1 0 0-3.8"],
  changes: ["M10 3.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13", "M10 6.5v3.8l2.6 1.6"],
  send: ["M10 16V4.5", "M5 9.2l5-5l5 5"],
  stop: ["M6 6h8v8H6z"],
  close: ["M5 5l10 10M15 5L5 15"],
  filter: ["M3.5 6h13M6 10h8M8.5 14h3"],
  out: ["M8 5H5v10h10v-3", "M11 4.5h4.5V9", "M15.2 4.8L9.5 10.5"],
  plus: ["M10 4v12M4 10h12"],
  minus: ["M4 10h12"],
  fit: ["M4 8V4h4M12 4h4v4M16 12v4h-4M8 16H4v-4"],
  theme: ["M10 3.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13", "M10 3.5v13", "M10 7l4.8-1.6M10 10.4l6.3-2M10 13.8l5.4-1.8"],
  back: ["M12 4.5L6.5 10l5.5 5.5"],
  lines: ["M4 5.5h1M4 10h1M4 14.5h1M8 5.5h8M8 10h8M8 14.5h8"],
};

/** Return the name of a note's file without folder and ending. */
export function stem(path) {
  return path.split("/").pop().replace(/\.(md|markdown|canvas)$/i, "");
}

/** Return a text cut to so many characters, with an ellipsis where something is missing. */
export function cut(text, size) {
  const characters = [...text];
  return characters.length > size ? `${characters.slice(0, size - 1).join("")}…` : text;
}
