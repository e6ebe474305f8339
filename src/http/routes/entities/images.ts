/** `/images/`: pictures from a directory. */
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

export const imagesRoute: RouteMaker = ({ images }) => {
  if (images === undefined) return [];
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
          content: { "image/*": {} },
          headers: ["Accept-Ranges", "Content-Security-Policy", "Last-Modified"],
          conditions: "tags and dates",
          problems: ["not-found", "range-not-satisfiable"],
          responses: { 206: PART },
        },
      },
      answer: filesIn(images, "/images", HEADERS),
    },
  ];
};
