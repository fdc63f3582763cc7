// Runs before the first paint: a theme that was chosen earlier. A classic script, since modules wait for the markup.
"use strict";
{
  const theme = localStorage.getItem("graphrag-theme");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
}
