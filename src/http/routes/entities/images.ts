/** `/images/`: pictures from a directory, also such as lie there in the tiles of a IIIF Image service. */
import type { Json } from "../../../rdf/record-graph.js";
import { type Content, tagOf } from "../../message/content.js";
import { informationAt } from "../../pages/image-files.js";
import { filesIn, PART } from "../files.js";
import { pathParameter } from "../openapi/paths.js";
import type { RouteMaker } from "../route.js";

/** Images may be SVG, which a browser would run scripts of: nothing in them may do anything. */
const HEADERS = [
  "Cache-Control",
  "max-age=3600",
  "Content-Security-Policy",
  "default-src 'none'; style-src 'unsafe-inline'; sandbox",
];

export const imagesRoute: RouteMaker = ({ images, base }) => {
  if (images === undefined) return [];
  const files = filesIn(images, "/images", HEADERS);
  return [
    {
      path: "/images/{file*}",
      cost: "file",
      operations: {
        get: {
          id: "image",
          tag: "Service",
          summary: "A picture.",
          parameters: [pathParameter("file", "Its name.")],
          content: { "image/*": {}, "application/ld+json": {} },
          headers: ["Accept-Ranges", "Content-Security-Policy", "Last-Modified"],
          conditions: "tags and dates",
          problems: ["not-found", "range-not-satisfiable"],
          responses: { 206: PART },
        },
      },
      answer: async (request) => {
        const file = request.parameter("file");
        const service = /^(?!\.|.*\/\.)(.+)\/info\.json$/.exec(file)?.[1];
        const url = `${base}/images/${service}`;
        const information = service && (await informationAt(images, base, url));
        return information ? informationContent(information, url) : files(request);
      },
    },
  ];
};

/** What a IIIF Image service says of itself, with the address where it is: tiles are cut before anybody knows it. */
function informationContent(information: Readonly<Record<string, Json>>, url: string): Content {
  const { "@context": context, "@id": _old, id: _other, ...rest } = information;
  const name = information.type === undefined ? "@id" : "id";
  const body = `${JSON.stringify({ "@context": context, [name]: url, ...rest })}\n`;
  return {
    type: `application/ld+json;profile="${context}"`,
    body,
    tag: tagOf(body),
    cacheControl: HEADERS[1]!,
    headers: HEADERS.slice(2),
  };
}
