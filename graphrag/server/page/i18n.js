// The language of the page: which it is, how a string reads in it, dates and numbers.

import { STRINGS } from "./strings.js";

const KEY = "graphrag-language";
const listeners = [];

let language = stored() ?? (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");

/** Return the language of the page, `zh` or `en`. */
export function currentLanguage() {
  return language;
}

/** Change to the other language and have everything shown again. */
export function switchLanguage() {
  language = language === "zh" ? "en" : "zh";
  localStorage.setItem(KEY, language);
  applyLanguage();
  listeners.forEach((listener) => listener());
}

/** Call `listener()` whenever the language changes. */
export function onLanguage(listener) {
  listeners.push(listener);
}

/** Return a string; `values` fill its {places}, and `n` = 1 takes the singular where there is one. */
export function t(key, values = {}) {
  const [chinese, english, singular] = STRINGS[key];
  const text = language === "zh" ? chinese : values.n === 1 && singular ? singular : english;
  const fill = (_, name) => (typeof values[name] === "number" ? numberText(values[name]) : values[name]);
  return text.replace(/\{(\w+)\}/g, fill);
}

/** Return a string that a newer service may name without this page knowing it: then the name itself. */
export function known(prefix, name) {
  return `${prefix}.${name}` in STRINGS ? t(`${prefix}.${name}`) : name.replaceAll("_", " ");
}

/** Write the strings of the static markup: `data-t` the text, `data-t-ATTRIBUTE` an attribute. */
export function applyLanguage() {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const name of ["label", "placeholder", "title"]) {
    const attribute = name === "label" ? "aria-label" : name;
    for (const element of document.querySelectorAll(`[data-t-${name}]`)) {
      element.setAttribute(attribute, t(element.getAttribute(`data-t-${name}`)));
    }
  }
}

/** Return a range of lines in words. */
export function linesText([first, last]) {
  return first === last ? t("line", { a: first }) : t("lines", { a: first, b: last });
}

/** Return a moment as a day, in the form of the language. */
export function dayText(moment) {
  const date = new Date(moment);
  return new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en-GB", { dateStyle: "medium" }).format(date);
}

/** Return a number with separators. */
export function numberText(value) {
  return new Intl.NumberFormat(language === "zh" ? "zh-CN" : "en").format(value);
}

function stored() {
  return localStorage.getItem(KEY);
}
