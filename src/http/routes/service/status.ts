/** `/health` and `/ready`: whether the service lives, and whether entities answer. */
import { NO_ENGINE } from "../../../query/engine.js";
import { momentaryJson } from "../../message/content.js";
import { fromStore } from "../../message/problems/store-unavailable.js";
import { ANY_OBJECT } from "../openapi/paths.js";
import type { Operation, RouteMaker } from "../route.js";

function operation(id: string, summary: string): Operation {
  return { id, tag: "Service", summary, content: { "application/json": ANY_OBJECT } };
}

export const statusRoutes: RouteMaker = ({ store, base, index = () => NO_ENGINE }) => [
  {
    path: "/health",
    cost: "status",
    operations: { get: operation("health", "Whether the service lives.") },
    answer: () => momentaryJson({ status: "ok" }),
  },
  {
    path: "/ready",
    cost: "status",
    operations: {
      get: operation("ready", "200 once entities answer, with how far the index for queries is."),
    },
    answer: async () => {
      // Any reading will do: when it fails, the failure's answer is 503.
      await fromStore(async () => store.find(`${base}/`));
      return momentaryJson({ index: { ...(await index()) } });
    },
  },
];
