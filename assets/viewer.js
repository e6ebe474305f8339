/** The viewer of a page's pictures: a dialog with deep zoom for IIIF images, and with zoom for all others. */

/** How far whoever looks may go beyond a file's own pixels; drawings have none. */
const MAX_ENLARGEMENT = 6;

let open;

/** Shows a figure's picture, or nothing, in place of what is shown. */
export async function show(figure, { button, load, words }) {
  close();
  if (figure === undefined) return;
  const dialog = document.createElement("dialog");
  const image = figure.querySelector("img");
  dialog.className = "viewer";
  dialog.setAttribute("aria-label", image.alt);
  const stage = document.createElement("div");
  stage.className = "stage";
  const controls = document.createElement("div");
  controls.className = "zoom-controls";
  const caption = document.createElement("span");
  caption.textContent = image.alt;
  controls.append(caption, button(words.close, leave));
  dialog.append(stage, controls);
  document.body.append(dialog);
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    leave();
  });
  // A browser may close a dialog without asking.
  dialog.addEventListener("close", () => open?.dialog === dialog && leave());
  const opener = figure.contains(document.activeElement) ? document.activeElement : figure.querySelector("a");
  open = { dialog, opener };
  dialog.showModal();
  await load("openseadragon/openseadragon.min.js");
  if (open?.dialog !== dialog) return;
  globalThis.OpenSeadragon.setString("Errors.OpenFailed", words.failed);
  open.view = viewOf(stage, figure, image);
  const by = (factor) => () => {
    open.view.viewport.zoomBy(factor);
    open.view.viewport.applyConstraints();
  };
  caption.after(
    button(words.closer, by(1.6)),
    button(words.farther, by(1 / 1.6)),
    button(words.whole, () => open.view.viewport.goHome()),
  );
  stage.querySelector(".openseadragon-canvas").focus();
}

/** Going back in the history is what closes the viewer, so that the back button and Close do the same. */
function leave() {
  history.back();
}

function close() {
  if (open === undefined) return;
  const { dialog, opener, view } = open;
  open = undefined;
  view?.destroy();
  dialog.close();
  dialog.remove();
  opener.focus({ preventScroll: true });
}

function viewOf(stage, figure, image) {
  // The library would add a style of its own, which the page's policy refuses, unless it finds that it has.
  if (document.querySelector("[data-openseadragon-mobile-css]") === null) {
    const mark = document.createElementNS("urn:no-style-of-html", "style");
    mark.setAttribute("data-openseadragon-mobile-css", "true");
    document.head.append(mark);
  }
  const tiles = figure.dataset.zoom;
  const file = { type: "image", url: image.src, buildPyramid: false };
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const view = globalThis.OpenSeadragon({
    element: stage,
    tileSources: tiles ?? file,
    showNavigationControl: false,
    // Elements of HTML keep drawings sharp, however near.
    drawer: tiles === undefined ? "html" : "canvas",
    crossOriginPolicy: false,
    maxZoomPixelRatio: tiles === undefined ? MAX_ENLARGEMENT : 2,
    ...(still && { animationTime: 0 }),
  });
  // A service that does not answer leaves what the page shows.
  if (tiles !== undefined) view.addOnceHandler("open-failed", () => view.open(file));
  return view;
}
