/** `/context`: the data model's JSON-LD context document. */
import { contextDocument } from "../../../model/vocabulary/context.js";
import { fixedContent } from "../../message/content.js";
import { ANY_OBJECT } from "../openapi/paths.js";
import type { RouteMaker } from "../route.js";

const TYPE = "application/ld+json";

export const contextRoute: RouteMaker = () => {
  const content = fixedContent(TYPE, `${JSON.stringify(contextDocument())}\n`);
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
