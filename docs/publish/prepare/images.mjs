/** Images of objects, and the rights in images and objects. */
import { concept, instead, leaveOut, report, statement } from "./parts.mjs";

/** What the house calls rights. Portals and viewers know those of Creative Commons and RightsStatements.org. */
const RIGHTS = {
  CC0: "https://creativecommons.org/publicdomain/zero/1.0/",
  "Public Domain Mark": "https://creativecommons.org/publicdomain/mark/1.0/",
  "CC BY 4.0": "https://creativecommons.org/licenses/by/4.0/",
  "CC BY-SA 4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
  "In Copyright": "http://rightsstatements.org/vocab/InC/1.0/",
};

const FORMATS = {
  jpg: "jpeg",
  jpeg: "jpeg",
  png: "png",
  gif: "gif",
  webp: "webp",
  avif: "avif",
  tif: "tiff",
  tiff: "tiff",
};

/** The IRI of rights: that of the table, or the words themselves if they are one. `undefined` for other words, which are counted. */
export function rightsIri(words) {
  if (Object.hasOwn(RIGHTS, words)) return RIGHTS[words];
  if (/^https?:\/\/\S+$/.test(words)) return words;
  instead(`a statement, because RIGHTS lacks it: ${words}`);
  return undefined;
}

/** The rights in an object or an image: a right if they have an IRI, otherwise a statement. Nothing without words. */
export function rightsOf(words) {
  if (!words) return {};
  const id = rightsIri(words);
  if (id === undefined) return { referred_to_by: statement(300435434, "copyright/licensing statements", words) };
  const right = { type: "Right", _label: words, identified_by: [{ type: "Name", content: words }] };
  return { subject_to: [{ ...right, classified_as: [{ id, type: "Type", _label: words }] }] };
}

/** The address of an image, with spaces encoded. Another text is a problem. @param id the record */
export function addressOf(id, url) {
  if (/^https?:/i.test(url) && URL.canParse(url)) return new URL(url).href;
  report(`${id}: ${url} is no address of an image: write one such as https://images.museum.example/1.jpg`);
  return url;
}

/** The media type of an image, by the ending of its address; `undefined` for another ending. */
export function formatOf(url) {
  const format = FORMATS[/\.(\w+)(?:[?#]|$)/.exec(url)?.[1].toLowerCase()];
  return format && `image/${format}`;
}

/** An image of an object, with the rights in it. Nothing without an address. */
export function imageOf(id, url, rights) {
  if (!url) {
    if (rights) leaveOut("rights in images that have no address");
    return {};
  }
  const address = addressOf(id, url);
  const format = formatOf(address);
  const file = {
    type: "DigitalObject",
    classified_as: [concept(300215302, "digital images")],
    ...(format ? { format } : {}),
    ...rightsOf(rights),
    access_point: [{ id: address, type: "DigitalObject" }],
  };
  return { representation: [{ type: "VisualItem", digitally_shown_by: [file] }] };
}
