/** `/shapes/`, `/schemas/` and `/frames/`: the files that are generated from the model. */
import { lazily } from "../../../base/lazily.js";
import { generatedFiles } from "../../../model/generate/files.js";
import type { ModelSettings } from "../../../model/settings.js";
import { type Content, fixedContent } from "../../message/content.js";
import { type Route, type RouteMaker, type RouteRequest, readRoute } from "../route.js";

/** A folder of files of one kind, one an endpoint. */
interface Kind {
  readonly folder: "shapes" | "schemas" | "frames";
  readonly extension: string;
  readonly contentType: string;
  readonly id: string;
  /** The words for a file, without the kind of record that it is about. */
  readonly summary: string;
  /** The media type by which records link to it, where it says what they have to be. */
  readonly describes?: string;
  /** Whether embedded structures have a file of their own. */
  readonly hasStructures: boolean;
}

const SCHEMA_TYPE = "application/schema+json";
const FRAME_TYPE = 'application/ld+json;profile="http://www.w3.org/ns/json-ld#frame"';

const KINDS: readonly Kind[] = [
  {
    ...{ folder: "shapes", extension: "ttl", contentType: "text/turtle; charset=utf-8", describes: "text/turtle" },
    ...{ id: "shape", summary: "The SHACL shapes", hasStructures: true },
  },
  {
    ...{ folder: "schemas", extension: "json", contentType: SCHEMA_TYPE, describes: SCHEMA_TYPE },
    ...{ id: "schema", summary: "The JSON Schemas", hasStructures: true },
  },
  {
    ...{ folder: "frames", extension: "json", contentType: FRAME_TYPE },
    ...{ id: "frame", summary: "The JSON-LD frame", hasStructures: false },
  },
];

function modelFiles(model: ModelSettings): ReadonlyMap<string, Content> {
  const files = generatedFiles(model).flatMap(({ path, content }): [string, Content][] => {
    const kind = KINDS.find(({ folder }) => path.startsWith(`${folder}/`));
    return kind === undefined ? [] : [[`/${path}`, fixedContent(kind.contentType, content)]];
  });
  return new Map(files);
}

export const modelRoutes: RouteMaker = ({ model, base }) => {
  const files = lazily(() => modelFiles(model));
  return KINDS.flatMap((kind) => [listOf(kind, files, base), ...routesOf(kind, files)]);
};

function listOf({ folder, id, summary }: Kind, files: () => ReadonlyMap<string, Content>, base: string): Route {
  const content = lazily(() => {
    const inFolder = [...files().keys()].filter((path) => path.startsWith(`/${folder}/`));
    const list = Object.fromEntries(inFolder.map((path) => [path.slice(folder.length + 2).split(".")[0], base + path]));
    return fixedContent("application/json", `${JSON.stringify(list, null, 2)}\n`);
  });
  const about = { tag: "Model", types: ["application/json"], conditions: "tags" } as const;
  const get = { ...about, id: `${id}List`, summary: `${summary} that there are, and where.` };
  return readRoute(`/${folder}`, "file", get, content);
}

function routesOf(kind: Kind, files: () => ReadonlyMap<string, Content>): Route[] {
  const { folder, hasStructures, extension, contentType, id, summary, describes } = kind;
  const about = { tag: "Model", types: [contentType], conditions: "tags" } as const;
  const get = { ...about, id, summary: `${summary} of a kind of record.` };
  const link = describes === undefined ? {} : { link: { relation: "describedby", mediaType: describes } };
  const answer = ({ path }: RouteRequest): Content | undefined => files().get(path);
  const ofStructures = { ...about, id: `${id}OfStructures`, summary: `${summary} of embedded structures.` };
  return [
    readRoute(`/${folder}/{endpoint}.${extension}`, "file", get, answer, link),
    ...(hasStructures ? [readRoute(`/${folder}/structures.${extension}`, "file", ofStructures, answer)] : []),
  ];
}
