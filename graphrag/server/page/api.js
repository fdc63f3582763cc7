// Speaks to the service: the token in a header, problems as errors, server-sent events as they come.

import { currentLanguage } from "./i18n.js";

const KEY = "graphrag-token";
let token = "";
let refused = () => {};

/** Call `listener()` when the service does not accept the token any more. */
export function onRefused(listener) {
  refused = listener;
}

/** The title of the problem that a reply ended before it was complete. */
export const BROKEN = "broken off";

/** A reply that is no success: `status` is 0 when the service cannot be reached. */
export class Problem extends Error {
  constructor(status, title, detail = "", retryAfter = 0) {
    super(detail || title);
    Object.assign(this, { status, title, detail, retryAfter });
  }
}

/** Take the token out of the address at once, or find the one that this tab keeps; return whether there is one. */
export function takeToken() {
  const given = /^#token=([^&]+)/.exec(location.hash);
  if (given) {
    history.replaceState(null, "", location.pathname + location.search);
    keepToken(decodeURIComponent(given[1]));
  } else {
    token = sessionStorage.getItem(KEY) ?? "";
  }
  return token !== "";
}

/** Use a token from now on, in this tab only; an empty one forgets it. */
export function keepToken(value) {
  token = value.trim();
  if (token) sessionStorage.setItem(KEY, token);
  else sessionStorage.removeItem(KEY);
}

/** Return the JSON of an address; lists in `query` are repeated, what is empty is left out. */
export async function get(path, query = {}, signal = undefined) {
  return (await call(path + search(query), { signal })).json();
}

/** Return the text of a note as it stands in the vault. */
export async function getRaw(path, signal = undefined) {
  return (await call(`${notePath(path)}?raw=1`, { signal })).text();
}

/** Return the address of a note. */
export function notePath(path) {
  return `/notes/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Ask, and yield `{event, data}` as they come. */
export async function* ask(question, filters, signal) {
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream" };
  const body = JSON.stringify({ question, filters });
  const response = await call("/ask", { method: "POST", headers, body, signal });
  if (!(response.headers.get("Content-Type") ?? "").startsWith("text/event-stream")) {
    yield { event: "answer", data: await response.json() };
    return;
  }
  yield* events(response.body);
}

/** Yield the server-sent events of a stream of bytes. */
export async function* events(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await read(reader);
    if (done) return;
    const blocks = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const event = readEvent(block);
      if (event) yield event;
    }
  }
}

async function read(reader) {
  try {
    return await reader.read();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, BROKEN);
  }
}

function readEvent(block) {
  let event = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) event = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return data.length ? { event, data: JSON.parse(data.join("\n")) } : null;
}

async function call(address, options) {
  if (!token) throw new Problem(401, "no token"); // asking all the same would count as a failure against this address
  let response;
  try {
    response = await fetch(address, {
      ...options,
      headers: { ...options.headers, Authorization: `Bearer ${token}`, "Accept-Language": currentLanguage() },
      cache: "no-store",
      credentials: "omit",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "unreachable");
  }
  if (response.ok) return response;
  if (response.status === 401) {
    keepToken("");
    refused();
  }
  throw await problemOf(response);
}

async function problemOf(response) {
  const wait = Number(response.headers.get("Retry-After")) || 0;
  const isJson = /json/.test(response.headers.get("Content-Type") ?? "");
  const told = isJson ? await response.json() : {};
  return new Problem(response.status, told.title ?? response.statusText, told.detail ?? "", wait);
}

function search(query) {
  const pairs = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== "" && item !== null && item !== undefined) pairs.append(key, item);
    }
  }
  const text = pairs.toString();
  return text ? `?${text}` : "";
}
