/** The files that are generated from the model, as the service answers them: frames, shapes, schemas. */

import { generatedFiles } from "../../model/generate/files.js";
import type { ModelSettings } from "../../model/settings.js";
import { ENDPOINTS, type EndpointName } from "../../model/tables/endpoints.js";

/** Where each kind lies, its media type, and whether it says what a record has to be. */
const KINDS = [
  { folder: "shapes", extension: "ttl", mediaType: "text/turtle", type: "text/turtle; charset=utf-8", describes: true },
  {
    folder: "schemas",
    extension: "json",
    mediaType: "application/schema+json",
    type: "application/schema+json",
    describes: true,
  },
  {
    folder: "frames",
    extension: "json",
    mediaType: "application/ld+json",
    type: 'application/ld+json;profile="http://www.w3.org/ns/json-ld#frame"',
    describes: false,
  },
] as const;

export interface ModelFile {
  /** From the service's root, without a slash: `frames/object.json`. */
  readonly path: string;
  readonly contentType: string;
  readonly content: string;
}

/** All of them, as the settings make them. */
export function modelFiles(model: ModelSettings): readonly ModelFile[] {
  return generatedFiles(model).flatMap(({ path, content }) => {
    const kind = KINDS.find(({ folder }) => path.startsWith(`${folder}/`));
    return kind === undefined ? [] : [{ path, content, contentType: kind.type }];
  });
}

/** Per endpoint, the links to what its records have to be, each with a comma before it (POWDER's `describedby`). */
export function modelLinks(base: string, files: readonly ModelFile[]): ReadonlyMap<EndpointName, string> {
  const paths = new Set(files.map(({ path }) => path));
  const links = ENDPOINTS.map(({ name }) => {
    const there = KINDS.map((kind) => ({ ...kind, path: `${kind.folder}/${name}.${kind.extension}` })).filter(
      ({ path, describes }) => describes && paths.has(path),
    );
    const text = there.map(({ path, mediaType }) => `, <${base}/${path}>; rel="describedby"; type="${mediaType}"`);
    return [name, text.join("")] as const;
  });
  return new Map(links);
}
