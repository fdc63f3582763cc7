// The server's sanitised HTML of a note -> elements. It is read in a template, where nothing runs or loads, and looked
// over again: this is the only place that reads HTML from a string.

import { el } from "./dom.js";
import { t } from "./i18n.js";

const UNWANTED = "script, style, link, meta, base, iframe, frame, object, embed, form, svg, math, template, video, audio";
const SAFE = /^(https?:|mailto:|obsidian:|#)/i;
const NOTE = "#/note/";

/** Return the elements of a note's HTML. */
export function rendered(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const root = template.content;
  root.querySelectorAll(UNWANTED).forEach((element) => element.remove());
  root.querySelectorAll("*").forEach(cleanAttributes);
  root.querySelectorAll("img").forEach(replaceImage);
  root.querySelectorAll("a[href]").forEach(prepareLink);
  root.querySelectorAll("table").forEach(wrapTable);
  root.querySelectorAll("pre").forEach((block) => block.setAttribute("tabindex", "0")); // it may scroll
  root.querySelectorAll("input[type=checkbox]").forEach((box) => box.replaceWith(box.checked ? "☑ " : "☐ "));
  return root;
}

function cleanAttributes(element) {
  for (const { name } of [...element.attributes]) {
    if (name.startsWith("on") || name === "style" || name === "id" || name === "srcset") element.removeAttribute(name);
  }
}

// The service gives no attachments, and other hosts are not asked: a picture is named instead.
function replaceImage(image) {
  const source = image.getAttribute("src") ?? "";
  if (/^data:image\/(png|jpeg|gif|webp);/i.test(source)) return;
  const name = image.getAttribute("alt") || source.split("/").pop();
  image.replaceWith(el("span", { class: "picture", text: t("note.image", { name }) }));
}

function prepareLink(link) {
  const href = link.getAttribute("href");
  if (!SAFE.test(href)) link.removeAttribute("href");
  else if (href.startsWith("#") && !href.startsWith(NOTE)) link.removeAttribute("href"); // a heading: ids are not kept
  else if (/^https?:/i.test(href)) {
    link.setAttribute("rel", "noopener noreferrer");
    link.setAttribute("target", "_blank");
  }
}

function wrapTable(table) {
  const box = el("div", { class: "table-box", tabindex: "0", role: "region", "aria-label": t("note") });
  table.replaceWith(box);
  box.append(table);
}
