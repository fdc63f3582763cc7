// Tags and categories with their counts, read once and again when the index changes.

import { get } from "./api.js";

let facets = { tags: [], categories: [] };
const listeners = [];

/** Return the tags and categories that are known so far. */
export function currentFacets() {
  return facets;
}

/** Call `listener()` whenever they were read. */
export function onFacets(listener) {
  listeners.push(listener);
}

/** Read them from the service. */
export async function loadFacets() {
  const [tags, categories] = await Promise.all([get("/tags"), get("/categories")]);
  facets = { tags, categories };
  listeners.forEach((listener) => listener());
}

/** Return how many notes bear a tag or belong to a category, null when it is unknown. */
export function countOf(kind, name) {
  return facets[kind].find((facet) => facet.name === name)?.notes ?? null;
}
