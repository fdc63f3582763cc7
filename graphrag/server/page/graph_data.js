// The graph that is shown: points and lines from `near` and `overview`, each once however often it is met.

const KINDS = { property: "relation", tag: "tag" };
const STRENGTH = ["relation", "inferred", "link", "tag", "mention"]; // what says most first

/** Points by id, as {id, kind, title}, and lines by key, as {key, source, target, kind, name, places, shared}. */
export class GraphData {
  constructor() {
    this.nodes = new Map();
    this.edges = new Map();
    this.around = new Map(); // by id of an expanded point: its neighbourhood as the service told it
  }

  /** Take in what lies around a point; return the ids that are new. */
  addNear(near) {
    const known = new Set(this.nodes.keys());
    this.around.set(near.center.id, near);
    this.#node(near.center);
    near.neighbors.forEach(({ entity, relation }) => {
      this.#node(entity);
      this.#edge(relation.source, relation.target, KINDS[relation.kind] ?? "link", relation.name, [placeOf(relation)]);
    });
    near.inferred.forEach((item) => this.#other(near.center, item, "inferred", item.name));
    near.mentions.forEach((item) => this.#other(near.center, item, "mention", ""));
    near.similar.forEach((item) => this.#other(near.center, { ...item, is_backlink: false, places: [] }, "similar", ""));
    return [...this.nodes.keys()].filter((id) => !known.has(id));
  }

  /** Take in the best-connected notes and what joins them: of each two, what says most. */
  addOverview({ nodes, edges }) {
    nodes.forEach((node) => this.#node(node));
    const best = new Map();
    for (const edge of edges) {
      const shown = { ...edge, kind: KINDS[edge.kind] ?? (STRENGTH.includes(edge.kind) ? edge.kind : "link") };
      const pair = JSON.stringify([edge.source, edge.target].sort());
      const rank = STRENGTH.indexOf(shown.kind);
      if (!best.has(pair) || rank < STRENGTH.indexOf(best.get(pair).kind)) best.set(pair, shown);
    }
    for (const { source, target, kind, name } of best.values()) this.#edge(source, target, kind, name ?? "", []);
  }

  /** Return how many lines end at a point. */
  degree(id) {
    return [...this.edges.values()].filter(({ source, target }) => source === id || target === id).length;
  }

  #node({ id, kind, title }) {
    if (!this.nodes.has(id)) this.nodes.set(id, { id, kind, title: title || id });
  }

  #other(center, { entity, is_backlink: isBack, places }, kind, name) {
    this.#node(entity);
    const [source, target] = isBack ? [entity.id, center.id] : [center.id, entity.id];
    this.#edge(source, target, kind, name, places);
  }

  #edge(source, target, kind, name, places) {
    const ends = kind === "similar" ? [source, target].sort() : [source, target];
    const key = JSON.stringify([...ends, kind, name]);
    const edge = this.edges.get(key) ?? { key, source, target, kind, name, places: [] };
    const isNew = ({ path, line }) => !edge.places.some((place) => place.path === path && place.line === line);
    edge.places.push(...places.filter(isNew));
    this.edges.set(key, edge);
  }
}

function placeOf({ note, line }) {
  return { path: note, line };
}
