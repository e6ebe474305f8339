/** `/images/`: pictures from a directory, also as the tiles of IIIF Image services. */
import type { Json } from "../../../rdf/record-graph.js";
import { redirect } from "../../message/answer.js";
import { type Content, jsonContent } from "../../message/content.js";
import { informationAt } from "../../pages/image-files.js";
import { filesIn, OF_FILES } from "../files.js";
import { leadingTo } from "../openapi/answers.js";
import { type Operation, type Outcome, type RouteMaker, type RouteRequest, readRoute } from "../route.js";

/** Lets no image run or load anything: an SVG may contain scripts, which browsers would run. */
const HARMLESS = ["Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"];
const CACHING = "max-age=3600";

export const imagesRoute: RouteMaker = ({ images, base, addresses }) => {
  if (images === undefined) return [];
  const files = filesIn(images, "/images", ["Cache-Control", CACHING, ...HARMLESS]);
  const get: Operation = {
    ...OF_FILES,
    id: "image",
    tag: "Service",
    summary: "A picture.",
    types: ["image/*", "application/ld+json"],
    responses: { ...OF_FILES.responses, 303: leadingTo("The `info.json` of the IIIF Image service is at `Location`.") },
  };
  const answer = async (request: RouteRequest): Promise<Outcome> => {
    const file = request.parameter("file");
    const url = base + request.path.replace(/\/(?:info\.json)?$/, "");
    const isHidden = /^\.|\/\./.test(file);
    const find = async () => (isHidden ? undefined : informationAt(images, { addresses }, `${url}/info.json`));
    if (!file.endsWith("/info.json"))
      return (await files(request)) ?? ((await find()) && redirect(`${url}/info.json`, [], 303));
    const information = await find();
    return information ? informationContent(information, url) : files(request);
  };
  return [readRoute("/images/{file*}", "file", get, answer)];
};

/** The description of an IIIF Image service. Adds its URL, which was not known when the tiles were cut. */
export function informationContent(information: Readonly<Record<string, Json>>, url: string): Content {
  const { "@context": context, "@id": _old, id: _other, ...rest } = information;
  const name = information.type === undefined ? "@id" : "id";
  const type = `application/ld+json;profile="${context}"`;
  const content = jsonContent({ "@context": context, [name]: url, ...rest }, type);
  return { ...content, cacheControl: CACHING, headers: HARMLESS };
}
