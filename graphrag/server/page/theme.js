// Dark or light: as the system says, until a person chooses.

const KEY = "graphrag-theme"; // early.js reads it
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = [];

/** Return whether the page is dark now. */
export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : system.matches;
}

/** Change to the other theme; a choice that equals the system's is forgotten, so that the system leads again. */
export function switchTheme() {
  const wanted = isDark() ? "light" : "dark";
  if ((wanted === "dark") === system.matches) {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(KEY);
  } else {
    document.documentElement.dataset.theme = wanted;
    localStorage.setItem(KEY, wanted);
  }
  listeners.forEach((listener) => listener());
}

/** Call `listener()` whenever the colours change. */
export function onTheme(listener) {
  listeners.push(listener);
  system.addEventListener("change", listener);
}
