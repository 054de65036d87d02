// Dark or light: the system's choice, until one is made here.

/** Switches the theme; returns what to say. */
export function nextTheme(): string {
  const root = document.documentElement;
  const isDark = root.dataset["theme"]
    ? root.dataset["theme"] === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset["theme"] = isDark ? "light" : "dark";
  return isDark ? "Light theme" : "Dark theme";
}
