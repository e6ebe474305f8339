/** What pages do for those who have JavaScript: suggestions, buttons to copy, maps, deep zoom. All content is there without it. */
const assets = new URL(".", import.meta.url);

/** The element that names this script has what it is told of map tiles. */
const { tiles, attribution = "" } = document.querySelector('script[src$="/assets/pages.js"]')?.dataset ?? {};

function button(words, act) {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = words;
  element.addEventListener("click", act);
  return element;
}

/** A script or stylesheet of the service, loaded when first needed. */
function load(name) {
  return new Promise((resolve, reject) => {
    const isStyle = name.endsWith(".css");
    const element = document.createElement(isStyle ? "link" : "script");
    element.addEventListener("load", () => resolve());
    element.addEventListener("error", () => reject(new Error(`${name} did not load`)));
    if (isStyle) Object.assign(element, { rel: "stylesheet", href: new URL(name, assets).href });
    else element.src = new URL(name, assets).href;
    document.head.append(element);
  });
}

/** What is called as is typed, offered below the field with its kind and dates. The first letter alone would be too many. */
async function suggest(field, options) {
  const asked = field.value.trim();
  if (asked.length < 2 || [...options.children].some(({ value }) => value === field.value)) return;
  const address = field.form.action.replace(/search\/all$/, "reconcile/suggest/entity");
  const response = await fetch(`${address}?prefix=${encodeURIComponent(asked)}`);
  if (!response.ok || field.value.trim() !== asked) return;
  const { result } = await response.json();
  // Some browsers show the value and what stands beside it, others that alone.
  const offered = result.slice(0, 8).map(({ name, description }) => new Option(`${name} (${description})`, name));
  options.replaceChildren(...offered);
}

for (const field of document.querySelectorAll(".find input")) {
  let waiting;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => suggest(field, field.list).catch((error) => console.warn(error.message)), 150);
  });
}

for (const element of document.querySelectorAll("[data-copy]")) {
  if (navigator.clipboard === undefined) break;
  const copy = button("Copy", async () => {
    await navigator.clipboard.writeText(element.textContent);
    copy.textContent = "Copied";
    setTimeout(() => {
      copy.textContent = "Copy";
    }, 1500);
  });
  copy.className = "copy";
  copy.setAttribute("aria-live", "polite");
  element.after(copy);
}

/** How far apart the lines of latitude and longitude stand, by what is seen of the world. */
function gridStep(degrees) {
  return [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30].find((step) => degrees / step < 8) ?? 45;
}

/** Lines of latitude and longitude, so that an outline or a point without tiles lies somewhere. */
function drawGrid(leaflet, map, layer) {
  layer.clearLayers();
  const bounds = map.getBounds().pad(0.2);
  const step = gridStep(Math.max(bounds.getNorth() - bounds.getSouth(), bounds.getEast() - bounds.getWest()));
  const style = {
    color: getComputedStyle(map.getContainer()).getPropertyValue("--line"),
    weight: 1,
    interactive: false,
  };
  const south = Math.max(-85, bounds.getSouth());
  const north = Math.min(85, bounds.getNorth());
  for (let at = Math.ceil(south / step) * step; at <= north; at += step) {
    layer.addLayer(
      leaflet.polyline(
        [
          [at, bounds.getWest()],
          [at, bounds.getEast()],
        ],
        style,
      ),
    );
  }
  for (let at = Math.ceil(bounds.getWest() / step) * step; at <= bounds.getEast(); at += step) {
    layer.addLayer(
      leaflet.polyline(
        [
          [south, at],
          [north, at],
        ],
        style,
      ),
    );
  }
}

async function drawMap(element) {
  const geometry = JSON.parse(element.dataset.geometry);
  await Promise.all([load("leaflet/leaflet.css"), load("leaflet/leaflet.js")]);
  const leaflet = globalThis.L;
  element.replaceChildren();
  element.classList.add("drawn");
  element.setAttribute("role", "region");
  element.setAttribute("aria-label", `Map: ${element.dataset.name}`);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const map = leaflet.map(element, {
    scrollWheelZoom: false,
    attributionControl: tiles !== undefined,
    zoomAnimation: !still,
    fadeAnimation: !still,
  });
  const accent = getComputedStyle(element).getPropertyValue("--accent").trim();
  const shape = leaflet.geoJSON(geometry, {
    style: { color: accent, weight: 2, fillOpacity: 0.15 },
    pointToLayer: (_, at) => leaflet.circleMarker(at, { radius: 7, color: accent, weight: 2, fillOpacity: 0.5 }),
    interactive: false,
  });
  map.fitBounds(shape.getBounds().pad(0.15), { maxZoom: tiles === undefined ? 6 : 13, animate: false });
  if (tiles === undefined) {
    const grid = leaflet.layerGroup().addTo(map);
    map.on("moveend", () => drawGrid(leaflet, map, grid));
    drawGrid(leaflet, map, grid);
  } else {
    const layer = leaflet.tileLayer(tiles, { maxZoom: 19 }).addTo(map);
    // An attribution is text here; the library would take it for HTML.
    map.attributionControl.setPrefix(false);
    map.attributionControl.getContainer().textContent = attribution;
    layer.on("tileerror", () => {});
  }
  shape.addTo(map);
}

for (const element of document.querySelectorAll("[data-geometry]")) {
  drawMap(element).catch((error) => console.warn(error.message));
}

/** The pictures of the page, in a viewer that is loaded with the first click. Without a script, their links lead to the files. */
const figures = [...document.querySelectorAll(".pictures figure")];

/** What the browser's history says is looked at: the back button closes it, the forward button opens it again. */
function follow() {
  const at = history.state?.picture;
  if (at !== undefined || document.querySelector("dialog.viewer")) {
    import("./viewer.js")
      .then(({ show }) => show(figures[at], { button, load }))
      .catch((error) => console.warn(error.message));
  }
}

for (const [at, figure] of figures.entries()) {
  const look = (event) => {
    // Whoever wants the file in another tab or window gets it there.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    history.pushState({ picture: at }, "");
    follow();
  };
  figure.classList.add("zooms");
  figure.querySelector("a").addEventListener("click", look);
  figure.querySelector("figcaption").append(" ", button("Zoom in", look));
}
addEventListener("popstate", follow);
follow();
