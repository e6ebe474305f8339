/** `/context`: the data model's JSON-LD context document. */
import { fixedContent } from "../content.js";
import { ANY_OBJECT } from "./openapi/paths.js";
import type { RouteMaker } from "./route.js";

const TYPE = "application/ld+json";

export const contextRoute: RouteMaker = ({ context }) => {
  if (context === undefined) return [];
  const content = fixedContent(TYPE, `${JSON.stringify(context)}\n`);
  return [
    {
      path: "/context",
      cost: "file",
      operations: {
        get: {
          id: "context",
          tag: "Model",
          summary: "The data model's JSON-LD context.",
          content: { [TYPE]: ANY_OBJECT },
          conditions: "tags",
        },
      },
      answer: () => content,
    },
  ];
};
