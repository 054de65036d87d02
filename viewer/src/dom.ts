// Elements of the page.

type Child = Node | string | null | undefined | false;
type Props<K extends keyof HTMLElementTagNameMap> = Partial<
  Omit<HTMLElementTagNameMap[K], "style" | "dataset">
> & {
  class?: string;
  data?: Record<string, string>;
  aria?: Record<string, string>;
  role?: string;
};

/** An element with properties and children. Text is never read as HTML. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props<K> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  const { class: name, data, aria, role, ...rest } = props as Props<"div">;
  if (name) element.className = name;
  if (role) element.setAttribute("role", role);
  for (const [key, value] of Object.entries(data ?? {})) element.dataset[key] = value;
  for (const [key, value] of Object.entries(aria ?? {})) element.setAttribute(`aria-${key}`, value);
  Object.assign(element, rest);
  element.append(...children.filter((child): child is Node | string => !!child || child === ""));
  return element;
}

/** A button with a label, and a title that names its key. */
export function button(label: string, onclick: () => void, title = ""): HTMLButtonElement {
  return h("button", { type: "button", textContent: label, title, onclick });
}

/** A section that opens and closes; `onopen` runs when it does. */
export function section(title: string, open: boolean, ...children: Child[]): HTMLDetailsElement {
  return h(
    "details",
    { class: "section", open },
    h("summary", {}, h("h2", {}, title)),
    ...children,
  );
}

/** A number as people read it: four significant digits, a true minus. */
export function digits(value: number, precision = 4): string {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "–";
  if (Math.abs(value) < 1e-12) return "0";
  const magnitude = Math.abs(value);
  const text =
    magnitude >= 1e5 || magnitude < 1e-3
      ? value.toExponential(precision - 2)
      : value.toFixed(Math.max(0, precision - 1 - Math.floor(Math.log10(magnitude))));
  return text.replaceAll("-", "−");
}

/** Some words of a list, and how many more there are. */
export function listed(words: string[], most = 4): string {
  const rest = words.length - most;
  return words.slice(0, most).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** A position as people read it: tenths of a millimetre, a true minus. */
export function fixed(value: number): string {
  return value
    .toFixed(4)
    .replace(/^-(?=0\.0+$)/, "")
    .replace("-", "−");
}

/** Says something to those who hear the page, and shows it for a while. */
export function say(text: string): void {
  const status = document.getElementById("status");
  if (!status) return;
  status.textContent = text;
  status.classList.add("shown");
  clearTimeout(Number(status.dataset["timer"]));
  status.dataset["timer"] = String(setTimeout(() => status.classList.remove("shown"), 4000));
}
