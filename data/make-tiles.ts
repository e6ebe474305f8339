/**
 * Draws the Chi Rho page large, with writing too small for the page, and cuts it into the tiles of a IIIF Image service of level 0:
 * `npm run tiles`. What it writes is committed; it needs Chromium.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { chromium, type Page } from "playwright-core";

const DRAWING = "data/images/chi-rho-page.svg";
const OUTPUT = "data/images/chi-rho-page";
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** The drawing is 600 × 760. */
const SCALE = 5;
const WIDTH = 600 * SCALE;
const HEIGHT = 760 * SCALE;
const TILE = 512;
const FACTORS = [1, 2, 4, 8];
const QUALITY = 68;

/** The words of the page, Matthew 1:18, along lines of the drawing. */
const WORDS = "Christi autem generatio sic erat: cum esset desponsata mater eius Maria Ioseph · ".repeat(12);
const LINES = [
  "M78 138 C156 84 240 130 288 244 C326 336 366 414 402 472",
  "M520 92 C476 88 436 126 398 198 C346 302 272 452 168 584 C130 630 100 656 84 684",
];

/** The drawing with its small writing, at a size. */
function drawn(width: number, height: number): string {
  const source = readFileSync(DRAWING, "utf8");
  const opening = source.slice(source.indexOf("<svg"), source.indexOf(">") + 1);
  const large = opening.replace(/ (?:width|height)="\d+"/g, "").replace(">", ` width="${width}" height="${height}">`);
  const writing = LINES.map(
    (line, at) =>
      `<path id="line${at}" d="${line}" fill="none"/><text font-size="5.5" dy="2" fill="#4a2f1c" font-family="serif"><textPath href="#line${at}">${WORDS}</textPath></text>`,
  );
  // The medallions lie over it.
  return source.replace(opening, large).replace("<circle", `${writing.join("")}<circle`);
}

async function cut(page: Page, factor: number): Promise<void> {
  const [width, height] = [Math.ceil(WIDTH / factor), Math.ceil(HEIGHT / factor)];
  await page.setViewportSize({ width, height });
  await page.setContent(`<style>body{margin:0}svg{display:block}</style>${drawn(width, height)}`);
  const side = TILE * factor;
  for (let y = 0; y < HEIGHT; y += side) {
    for (let x = 0; x < WIDTH; x += side) {
      const region = [x, y, Math.min(side, WIDTH - x), Math.min(side, HEIGHT - y)];
      const size = region.slice(2).map((each) => Math.ceil(each / factor)) as [number, number];
      const clip = { x: x / factor, y: y / factor, width: size[0], height: size[1] };
      const tile = await page.screenshot({ type: "jpeg", quality: QUALITY, clip });
      const isWhole = region[2] === WIDTH && region[3] === HEIGHT;
      for (const name of [region.join(), ...(isWhole ? ["full"] : [])]) write(`${name}/${size.join()}`, tile);
    }
  }
  if (factor === FACTORS.at(-2)) write("full/max", await page.screenshot({ type: "jpeg", quality: QUALITY }));
}

function write(name: string, tile: Buffer): void {
  mkdirSync(`${OUTPUT}/${name}/0`, { recursive: true });
  writeFileSync(`${OUTPUT}/${name}/0/default.jpg`, tile);
}

rmSync(OUTPUT, { recursive: true, force: true });
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
const page = await browser.newPage();
for (const factor of FACTORS) await cut(page, factor);
await browser.close();
const largest = FACTORS.at(-2)!;
const smallest = FACTORS.at(-1)!;
const information = {
  "@context": "http://iiif.io/api/image/3/context.json",
  id: "chi-rho-page",
  type: "ImageService3",
  protocol: "http://iiif.io/api/image",
  profile: "level0",
  width: WIDTH,
  height: HEIGHT,
  // No whole image is larger: what is near is in tiles.
  maxWidth: WIDTH / largest,
  maxHeight: Math.ceil(HEIGHT / largest),
  sizes: [{ width: WIDTH / smallest, height: Math.ceil(HEIGHT / smallest) }],
  tiles: [{ width: TILE, scaleFactors: FACTORS }],
};
writeFileSync(`${OUTPUT}/info.json`, `${JSON.stringify(information, null, 2)}\n`);
