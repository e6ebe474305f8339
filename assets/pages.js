/** What pages do for those who have JavaScript: names while one is typed, buttons to copy, maps, deep zoom. All content is there without it. */
const assets = new URL(".", import.meta.url);

/** The element that names this script has the words of the page's language, and what it is told of map tiles. */
const told = document.querySelector('script[src$="/assets/pages.js"]')?.dataset ?? {};
const { tiles, attribution = "" } = told;
const words = JSON.parse(told.words ?? "{}");

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

/**
 * Offers names below a search field while one is typed, with kind and dates (WAI-ARIA 1.2, combobox). Down and up choose one, Enter searches for it,
 * Escape closes the list. The service also finds names that are typed without accents or with a slip, which a datalist would not show.
 */
function offerNames(field) {
  const list = document.createElement("ul");
  Object.assign(list, { id: `${field.id}-names`, className: "names", role: "listbox", hidden: true });
  list.setAttribute("aria-label", field.labels[0]?.textContent ?? "");
  field.after(list);
  field.type = "text";
  Object.assign(field, { role: "combobox", ariaAutoComplete: "list", ariaExpanded: "false", enterKeyHint: "search" });
  field.setAttribute("aria-controls", list.id);
  let chosen = -1;
  let waiting;

  const choose = (at) => {
    chosen = at;
    for (const [each, item] of [...list.children].entries()) item.ariaSelected = String(each === at);
    list.children[at]?.scrollIntoView({ block: "nearest" });
    if (at < 0) field.removeAttribute("aria-activedescendant");
    else field.setAttribute("aria-activedescendant", list.children[at].id);
  };
  const show = (found) => {
    list.replaceChildren(...found.map(itemOf));
    list.hidden = found.length === 0;
    field.ariaExpanded = String(!list.hidden);
    choose(-1);
  };
  const searchFor = (name) => {
    field.value = name;
    show([]);
    field.form.requestSubmit();
  };
  const itemOf = ({ name, description }, at) => {
    const item = document.createElement("li");
    Object.assign(item, { id: `${list.id}-${at}`, role: "option" });
    const [called, about] = [document.createElement("bdi"), document.createElement("span")];
    called.textContent = name;
    Object.assign(about, { className: "aside", textContent: description });
    item.append(called, " ", about);
    // The field keeps the focus.
    item.addEventListener("mousedown", (event) => event.preventDefault());
    item.addEventListener("click", () => searchFor(name));
    return item;
  };
  const ask = async () => {
    const asked = field.value.trim();
    // The first letter alone would be too many.
    if (asked.length < 2) return show([]);
    const lang = document.documentElement.lang;
    const response = await fetch(`${field.dataset.suggestions}?prefix=${encodeURIComponent(asked)}&lang=${lang}`);
    const isWanted = () => field.value.trim() === asked && document.activeElement === field;
    if (!response.ok || !isWanted()) return;
    const { result } = await response.json();
    if (isWanted()) show(result.slice(0, 8));
  };
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => ask().catch((error) => console.warn(error.message)), 150);
  });
  field.addEventListener("blur", () => show([]));
  field.addEventListener("keydown", (event) => {
    if (list.hidden || event.isComposing) return;
    const count = list.children.length;
    if (event.key === "ArrowDown") choose(chosen + 1 < count ? chosen + 1 : -1);
    else if (event.key === "ArrowUp") choose(chosen < 0 ? count - 1 : chosen - 1);
    else if (event.key === "Escape") show([]);
    else if (event.key === "Enter" && chosen >= 0) searchFor(list.children[chosen].firstChild.textContent);
    else return;
    event.preventDefault();
  });
  field.form.addEventListener("submit", () => clearTimeout(waiting));
}

for (const field of document.querySelectorAll("[data-suggestions]")) offerNames(field);

for (const element of document.querySelectorAll("[data-copy]")) {
  if (navigator.clipboard === undefined) break;
  const copy = button(words.copy, async () => {
    await navigator.clipboard.writeText(element.textContent);
    copy.textContent = words.copied;
    setTimeout(() => {
      copy.textContent = words.copy;
    }, 1500);
  });
  copy.className = "copy";
  copy.setAttribute("aria-live", "polite");
  element.after(copy);
}

/** A picture that does not load leaves neither an empty frame nor a link to nothing; its caption stays. */
const fail = (image) => image.classList.add("failed");
addEventListener("error", ({ target }) => target instanceof HTMLImageElement && fail(target), true);
for (const image of document.images) {
  // It may have failed before this script ran; a drawing may have no width.
  if (image.complete && image.naturalWidth === 0) image.decode().catch(() => fail(image));
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The points of a line as data/make-world.ts writes it: fiftieths of a degree, each the difference from the one before, in VLQ. */
function pointsOf(line) {
  const numbers = [];
  for (let at = 0, value = 0, scale = 1; at < line.length; at++) {
    const digit = DIGITS.indexOf(line[at]);
    value += (digit % 32) * scale;
    scale *= 32;
    if (digit >= 32) continue;
    numbers.push((value % 2 === 1 ? -(value - 1) / 2 : value / 2) / 50);
    [value, scale] = [0, 1];
  }
  let [x, y] = [0, 0];
  return Array.from({ length: numbers.length / 2 }, (_, at) => {
    x += numbers[2 * at];
    y += numbers[2 * at + 1];
    return [y, x];
  });
}

/** Milliseconds of work on a map after which the page has a turn: a phone takes four times as long. */
const AT_ONCE = 8;

/** What is made of each, with turns for the page between: it stays quick to answer meanwhile. */
async function inTurns(all, make) {
  const made = [];
  let since = performance.now();
  for (const each of all) {
    made.push(make(each));
    if (performance.now() - since < AT_ONCE) continue;
    await new Promise((resolve) => setTimeout(resolve));
    since = performance.now();
  }
  return made;
}

/** Coasts and borders, under a map without tiles. */
async function drawWorld(leaflet, map) {
  const answer = await fetch(new URL("world.json", assets));
  const { land, borders } = await answer.json();
  const style = (className) => ({ className, interactive: false, weight: 1 });
  const drawn = [
    { shape: leaflet.polyline([], style("border")), lines: await inTurns(borders, boxedLine) },
    { shape: leaflet.polygon([], { ...style("land"), fillOpacity: 1 }), lines: await inTurns(land, boxedLine) },
  ];
  for (const { shape } of drawn) shape.addTo(map).bringToBack();
  // The library takes its time for every point, so it gets those of what is seen, and around it.
  const show = () =>
    inTurns(drawn, ({ shape, lines }) => {
      const view = map.getBounds().pad(0.5);
      // Beside the world stands the world again: a place at the date line is seen with both of its sides.
      const copies = [-360, 0, 360].flatMap((by) => {
        const [from, to] = [view.getSouthWest(), view.getNorthEast()];
        const seen = leaflet.latLngBounds([from.lat, from.lng - by], [to.lat, to.lng - by]);
        const near = lines.filter(({ box }) => seen.intersects(box));
        return near.map(({ points }) => points.map(([y, x]) => [y, x + by]));
      });
      shape.setLatLngs(copies);
    });
  map.on("moveend", show);
  await show();
}

/** A line's points, with the least and greatest of their latitudes and longitudes. */
function boxedLine(line) {
  const points = pointsOf(line);
  const box = [
    [90, 180],
    [-90, -180],
  ];
  for (const point of points) {
    for (const at of [0, 1]) {
      box[0][at] = Math.min(box[0][at], point[at]);
      box[1][at] = Math.max(box[1][at], point[at]);
    }
  }
  return { points, box };
}

/** A shape that leads to a page: by a click, and for the keyboard as a link is. */
function linked(shape, name, url) {
  const enter = ({ originalEvent: { key = "Enter" } }) => key === "Enter" && location.assign(url);
  const tell = () =>
    shape.eachLayer((layer) => {
      const drawn = layer.getElement?.();
      for (const [attribute, value] of Object.entries({ role: "link", tabindex: 0, "aria-label": name })) {
        drawn?.setAttribute(attribute, value);
      }
    });
  return shape.on("click keypress", enter).on("add", tell);
}

/** How large the points of the page's own place and of others are, in pixels. */
const RADII = { own: 7, other: 5 };

async function drawMap(element) {
  const geometry = JSON.parse(element.dataset.geometry ?? "null");
  const places = JSON.parse(element.dataset.places ?? "[]");
  await Promise.all([load("leaflet/leaflet.css"), load("leaflet/leaflet.js")]);
  const leaflet = globalThis.L;
  element.replaceChildren();
  element.classList.add("drawn");
  element.setAttribute("role", "region");
  element.setAttribute(
    "aria-label",
    words.map.replace("{name}", () => element.dataset.name),
  );
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const map = leaflet.map(element, {
    zoomControl: false,
    scrollWheelZoom: false,
    minZoom: 0,
    attributionControl: tiles !== undefined,
    zoomAnimation: !still,
    fadeAnimation: !still,
  });
  leaflet.control.zoom({ zoomInTitle: words.zoomIn, zoomOutTitle: words.zoomOut }).addTo(map);
  const shapeOf = (drawn, className, interactive = false) =>
    leaflet.geoJSON(drawn, {
      style: { className, weight: 2 },
      pointToLayer: (_, at) =>
        leaflet.circleMarker(at, { className, radius: RADII[className], weight: 2, interactive }),
      interactive,
    });
  const others = places.flatMap((place) => {
    try {
      return { ...place, shape: shapeOf(place.geometry, "other", true) };
    } catch {
      // What is no geometry after all keeps no other place off the map.
      return [];
    }
  });
  const own = geometry === null ? [] : [shapeOf(geometry, "own")];
  const bounds = leaflet.featureGroup(own.length > 0 ? own : others.map(({ shape }) => shape)).getBounds();
  map.fitBounds(bounds.pad(0.15), { maxZoom: tiles === undefined ? 6 : 13, animate: false });
  if (tiles === undefined) {
    await drawWorld(leaflet, map);
  } else {
    const layer = leaflet.tileLayer(tiles, { maxZoom: 19 }).addTo(map);
    // An attribution is text here; the library would take it for HTML.
    map.attributionControl.setPrefix(false);
    map.attributionControl.getContainer().textContent = attribution;
    layer.on("tileerror", () => {});
  }
  /** An area that is too small to be seen at this scale is a point, too, and the point is what leads to its page. */
  const visible = (shape, className) => {
    const box = shape.getBounds();
    const [from, to] = [box.getNorthWest(), box.getSouthEast()].map((corner) => map.project(corner));
    if (from.distanceTo(to) === 0 || from.distanceTo(to) > 2 * RADII[className]) return shape;
    shapeOf(shape.toGeoJSON(), className).addTo(map);
    const { lng, lat } = box.getCenter();
    return shapeOf({ type: "Point", coordinates: [lng, lat] }, className, className === "other");
  };
  await inTurns(others, ({ name, url, shape }) => {
    // The library would take a text for HTML.
    const label = document.createElement("span");
    label.textContent = name;
    const told = visible(shape, "other").bindTooltip(label, { sticky: true });
    (url === undefined ? told : linked(told, name, url)).addTo(map);
  });
  for (const shape of own) visible(shape, "own").addTo(map);
}

for (const element of document.querySelectorAll("[data-geometry], [data-places]")) {
  drawMap(element).catch((error) => console.warn(error.message));
}

/** The pictures of the page, in a viewer that is loaded with the first click. Without a script, their links lead to the files. */
const figures = [...document.querySelectorAll(".pictures figure")];

/** What the browser's history says is looked at: the back button closes it, the forward button opens it again. */
function follow() {
  const at = history.state?.picture;
  if (at !== undefined || document.querySelector("dialog.viewer")) {
    import("./viewer.js")
      .then(({ show }) => show(figures[at], { button, load, words }))
      .catch((error) => console.warn(error.message));
  }
}

for (const [at, figure] of figures.entries()) {
  const look = (event) => {
    // Whoever wants the file in another tab or window gets it there.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    // A second click, while the viewer loads, adds nothing that would have to be closed again.
    if (history.state?.picture !== at) history.pushState({ picture: at }, "");
    follow();
  };
  figure.classList.add("zooms");
  figure.querySelector("a").addEventListener("click", look);
  figure.querySelector("figcaption").append(" ", button(words.zoomIn, look));
}
addEventListener("popstate", follow);
follow();
