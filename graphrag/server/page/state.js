// The view is the address: what is shown stands in the hash, so that it can be bookmarked and gone back to.
// `#/ask?q=…&tag=…&note=…&lines=12-28`. The token never stands there.

const VIEWS = ["ask", "search", "notes", "graph", "changes"];
const EMPTY = { view: "ask", q: "", tags: [], categories: [], since: "", until: "", note: "", lines: "", name: "" };
const SINGLE = ["q", "since", "until", "note", "lines", "name"];
const NOTE = /^#\/note\/([^?#]+)(?:\?lines=([\d-]+))?/;

let now = EMPTY;
const listeners = [];

/** Return the state that is shown. */
export function current() {
  return now;
}

/** Call `listener(state, previous)` whenever the state changes. */
export function subscribe(listener) {
  listeners.push(listener);
}

/** Show something else; `replace` leaves no step to go back to. */
export function go(changes, { replace = false } = {}) {
  const next = { ...now, ...changes };
  const hash = write(next);
  if (hash === write(now)) return;
  history[replace ? "replaceState" : "pushState"](null, "", hash);
  tell(next);
}

/** Read the address for the first time, and follow it from then on. */
export function start() {
  window.addEventListener("popstate", follow);
  window.addEventListener("hashchange", follow);
  follow();
}

function follow() {
  const next = read(location.hash, now);
  if (location.hash !== write(next)) history.replaceState(null, "", write(next));
  if (write(next) !== write(now) || now === EMPTY) tell(next);
}

function tell(next) {
  const previous = now;
  now = next;
  listeners.forEach((listener) => listener(next, previous));
}

/** Return the state that a hash names; a link to a note opens it beside whatever is shown. */
export function read(hash, previous = EMPTY) {
  const note = NOTE.exec(hash);
  if (note) return { ...previous, note: decode(note[1]), lines: note[2] ?? "" };
  const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const given = new URLSearchParams(query);
  const state = { ...EMPTY, view: VIEWS.includes(path) ? path : "ask", tags: given.getAll("tag") };
  state.categories = given.getAll("category");
  for (const key of SINGLE) state[key] = given.get(key) ?? "";
  return state;
}

/** Return the hash that names a state. */
export function write(state) {
  const query = new URLSearchParams();
  for (const key of SINGLE) if (state[key]) query.set(key, state[key]);
  state.tags.forEach((tag) => query.append("tag", tag));
  state.categories.forEach((category) => query.append("category", category));
  const text = query.toString();
  return `#/${state.view}${text ? `?${text}` : ""}`;
}

/** Return the link to a note, at lines if they are given. */
export function noteHash(path, lines = "") {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return `#/note/${encoded}${lines ? `?lines=${lines}` : ""}`;
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone % that a person typed
  }
}
