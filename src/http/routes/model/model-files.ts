/** `/shapes/`, `/schemas/` and `/frames/`: the files that are generated from the model. */
import { lazily } from "../../../base/lazily.js";
import { generatedFiles } from "../../../model/generate/files.js";
import { type Content, fixedContent } from "../../message/content.js";
import { type Route, type RouteMaker, type RouteRequest, readRoute } from "../route.js";

/** A folder of files of one kind, one an endpoint. */
interface Kind {
  readonly folder: "shapes" | "schemas" | "frames";
  readonly contentType: string;
  /** The words for a file, without the kind of record that it is about. */
  readonly summary: string;
  /** Whether they say what records have to be: records link to theirs, and embedded structures have one, too. */
  readonly isDescription: boolean;
}

const TURTLE = "text/turtle; charset=utf-8";
const SCHEMA = "application/schema+json";
const FRAME = 'application/ld+json;profile="http://www.w3.org/ns/json-ld#frame"';

const KINDS: readonly Kind[] = [
  { folder: "shapes", contentType: TURTLE, summary: "The SHACL shapes", isDescription: true },
  { folder: "schemas", contentType: SCHEMA, summary: "The JSON Schemas", isDescription: true },
  { folder: "frames", contentType: FRAME, summary: "The JSON-LD frame", isDescription: false },
];

const ABOUT = { tag: "Model", conditions: "tags" } as const;

export const modelRoutes: RouteMaker = ({ model, base }) => {
  const files = lazily(() => generatedFiles(model));
  return KINDS.flatMap((kind) => routesOf(kind, files, base));
};

/** The routes of a folder: its files by name, and the files. */
function routesOf(
  { folder, contentType, summary, isDescription }: Kind,
  files: () => ReturnType<typeof generatedFiles>,
  base: string,
): Route[] {
  const id = folder.slice(0, -1);
  const extension = contentType === TURTLE ? "ttl" : "json";
  const contents = lazily(() => {
    const inFolder = files().filter(({ path }) => path.startsWith(`${folder}/`));
    return new Map(inFolder.map(({ path, content }) => [`/${path}`, fixedContent(contentType, content)]));
  });
  const list = lazily(() => {
    const named = [...contents().keys()].map((path) => [path.slice(folder.length + 2).split(".")[0], base + path]);
    return fixedContent("application/json", `${JSON.stringify(Object.fromEntries(named), null, 2)}\n`);
  });
  const answer = ({ path }: RouteRequest): Content | undefined => contents().get(path);
  const ofList = {
    ...ABOUT,
    types: ["application/json"],
    id: `${id}List`,
    summary: `${summary} that there are, and where.`,
  };
  const ofOne = { ...ABOUT, types: [contentType], id, summary: `${summary} of a kind of record.` };
  const ofStructures = { ...ofOne, id: `${id}OfStructures`, summary: `${summary} of embedded structures.` };
  const link = { relation: "describedby", mediaType: contentType.split(";")[0]! };
  return [
    readRoute(`/${folder}`, "file", ofList, list),
    readRoute(`/${folder}/{endpoint}.${extension}`, "file", ofOne, answer, isDescription ? { link } : {}),
    ...(isDescription ? [readRoute(`/${folder}/structures.${extension}`, "file", ofStructures, answer)] : []),
  ];
}
