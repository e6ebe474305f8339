/** The query field at /sparql. YASGUI, which is large, takes its place when somebody touches it, or where a query is to be opened. */
import { linked, solutions } from "./ask.js";
import { showExamples } from "./examples.js";

const settingsRead = fetch("sparql/editor.json").then((answer) => answer.json());
const form = document.querySelector("#editor form");
const { query: field } = form.elements;

function load(name, properties) {
  return new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement(name), properties);
    element.addEventListener("load", resolve);
    element.addEventListener("error", reject);
    document.head.prepend(element);
  });
}

/** Signs of Chinese, say, are typed in several keys. */
let composed;
field.addEventListener("compositionstart", () => {
  composed = new Promise((resolve) => field.addEventListener("compositionend", resolve, { once: true }));
});

async function opened() {
  const [settings] = await Promise.all([
    settingsRead,
    load("link", { rel: "stylesheet", href: "sparql/yasgui.css" }),
    load("script", { src: "sparql/yasgui.js" }),
  ]);
  const { begin } = await import("./tabs.js");
  await composed;
  return begin(settings, form);
}

let opening;
/** YASGUI, once it is there. Where it does not load, the field stays and is tried again. */
function open() {
  opening ??= opened().catch((error) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

/** Whether YASGUI keeps queries from an earlier visit. */
function isKept() {
  try {
    return Object.keys(localStorage).some((key) => key.includes("vitrine-queries"));
  } catch {
    return false;
  }
}

for (const touch of ["focus", "pointerdown"]) field.addEventListener(touch, () => void open());
window.addEventListener("hashchange", () => linked() && void open());
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  await open().then(
    (yasgui) => yasgui.getTab().query(),
    () => form.submit(),
  );
});
if (document.activeElement === field || isKept() || linked()) void open();

await showExamples(await settingsRead, open, solutions);
document.body.dataset.ready = "true";
