/** `/context`, `/shapes/`, `/schemas/` and `/frames/`: the files generated from the model. */
import { lazily } from "../../../base/lazily.js";
import { modelFiles } from "../../../model/generate/files.js";
import { contextDocument } from "../../../model/vocabulary/context.js";
import { type Content, fixedContent, jsonContent } from "../../message/content.js";
import { type Route, type RouteMaker, type RouteRequest, readRoute } from "../route.js";

const JSON_LD = "application/ld+json";
const TURTLE = "text/turtle; charset=utf-8";

/** The folders with one file per endpoint, each with the media type and the beginning of the file's description. */
const FOLDERS = [
  ["shapes", TURTLE, "The SHACL shapes"],
  ["schemas", "application/schema+json", "The JSON Schemas"],
  ["frames", `${JSON_LD};profile="http://www.w3.org/ns/json-ld#frame"`, "The JSON-LD frame"],
] as const;

const ABOUT = { tag: "Model", conditions: "tags" } as const;

export const modelRoutes: RouteMaker = ({ model, base }) => {
  const files = lazily(() => modelFiles(model));
  const context = jsonContent(contextDocument(), JSON_LD);
  const get = { ...ABOUT, id: "context", types: [JSON_LD], summary: "The data model's JSON-LD context." };
  return [readRoute("/context", "file", get, () => context), ...FOLDERS.flatMap((each) => routesOf(each, files, base))];
};

type Files = () => ReturnType<typeof modelFiles>;

function routesOf([folder, contentType, summary]: (typeof FOLDERS)[number], files: Files, base: string): Route[] {
  // Shapes and schemas describe records, which link to them, and also the embedded structures.
  const isDescription = folder !== "frames";
  const id = folder.slice(0, -1);
  const extension = contentType === TURTLE ? "ttl" : "json";
  const contents = lazily(() => {
    const inFolder = files().filter(({ path }) => path.startsWith(`${folder}/`));
    return new Map(inFolder.map(({ path, content }) => [`/${path}`, fixedContent(contentType, content)]));
  });
  const list = lazily(() => {
    const named = [...contents().keys()].map((path) => [path.slice(folder.length + 2).split(".")[0], base + path]);
    return jsonContent(Object.fromEntries(named), undefined, 2);
  });
  const answer = ({ path }: RouteRequest): Content | undefined => contents().get(path);
  const about = { ...ABOUT, types: ["application/json"], summary: `${summary} that there are, and where.` };
  const ofOne = { ...ABOUT, types: [contentType], id, summary: `${summary} of a kind of record.` };
  const ofStructures = { ...ofOne, id: `${id}OfStructures`, summary: `${summary} of embedded structures.` };
  const link = { relation: "describedby", mediaType: contentType.split(";")[0]! };
  return [
    readRoute(`/${folder}`, "file", { ...about, id: `${id}List` }, list),
    readRoute(`/${folder}/{endpoint}.${extension}`, "file", ofOne, answer, isDescription ? { link } : {}),
    ...(isDescription ? [readRoute(`/${folder}/structures.${extension}`, "file", ofStructures, answer)] : []),
  ];
}
