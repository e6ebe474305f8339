/** `/context`: the data model's JSON-LD context document. */
import { contextDocument } from "../../../model/vocabulary/context.js";
import { jsonContent } from "../../message/content.js";
import { type RouteMaker, readRoute } from "../route.js";

const TYPE = "application/ld+json";

export const contextRoute: RouteMaker = () => {
  const content = jsonContent(contextDocument(), TYPE);
  const about = { tag: "Model", types: [TYPE], conditions: "tags" } as const;
  const get = { ...about, id: "context", summary: "The data model's JSON-LD context." };
  return [readRoute("/context", "file", get, () => content)];
};
