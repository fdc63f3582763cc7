// Lines of a note: which rendered blocks they are, and the file itself line by line.

import { el } from "./dom.js";

/** Mark the innermost rendered blocks that hold any of these lines, unfolded; return the first, null when none does. */
export function markBlocks(root, [first, last]) {
  const holding = [...root.querySelectorAll("[data-line]")].filter((block) => {
    const start = Number(block.dataset.line);
    return start <= last && Number(block.dataset.end ?? start) >= first;
  });
  const inner = holding.filter((block) => !holding.some((other) => other !== block && block.contains(other)));
  inner.forEach((block) => {
    block.classList.add("cited");
    unfold(block);
  });
  return inner[0] ?? null;
}

function unfold(block) {
  for (let folded = block.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
}

/** Return the lines of a file with their numbers, those of a range marked. */
export function sourceLines(text, range) {
  const lines = text.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n");
  const items = lines.map((line, at) => {
    const isCited = range && at + 1 >= range[0] && at + 1 <= range[1];
    return el("li", { class: isCited ? "cited" : null, text: line });
  });
  return el("ol", { class: "source-lines" }, items);
}
