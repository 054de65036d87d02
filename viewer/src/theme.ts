// Dark or light: the system's choice, until one is made here.

const system = matchMedia("(prefers-color-scheme: dark)");
const root = document.documentElement;
let isChosen = false;

function set(isDark: boolean): void {
  root.dataset["theme"] = isDark ? "dark" : "light";
}

/** Takes the system's theme, now and when it changes; `changed` is called then. */
export function followSystem(changed: () => void): void {
  set(system.matches);
  system.addEventListener("change", () => {
    if (isChosen) return;
    set(system.matches);
    changed();
  });
}

/** Switches the theme; returns what to say. */
export function nextTheme(): string {
  isChosen = true;
  const isDark = root.dataset["theme"] === "dark";
  set(!isDark);
  return isDark ? "Light theme" : "Dark theme";
}
