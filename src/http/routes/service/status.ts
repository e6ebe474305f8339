/** `/health`, `/ready` and `/metrics`: whether the service is alive, whether it answers for entities, and its metrics. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { jsonFile } from "../../../base/json.js";
import { NO_ENGINE } from "../../../query/engine.js";
import { checkToken } from "../../loads/tokens.js";
import { type Content, momentaryJson } from "../../message/content.js";
import { fromStore, ProblemError } from "../../message/problems/problems.js";
import { type Operation, type RouteMaker, type RouteRequest, readRoute } from "../route.js";

const READY =
  "200 once entities answer, with the progress of the index for queries and, for a copy, the seconds since it was last in step.";

const ABOUT = { tag: "Service", types: ["application/json"] } as const;

/** The seconds since a store was last in step with every store that it follows, `Infinity` if it never was or a file does not say so; `undefined` if it follows none. */
async function lagOf(directory: string): Promise<number | undefined> {
  const folder = join(directory, "follow");
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  if (files.length === 0) return undefined;
  const known = await Promise.all(files.map((file) => jsonFile<{ readonly inStep?: string }>(join(folder, file))));
  const at = known.map((each) => Date.parse(each?.inStep ?? "") || -Infinity);
  return Math.max(0, Math.round((Date.now() - Math.min(...at)) / 1_000));
}

export const statusRoutes: RouteMaker = ({ store, base, directory, maxLag = Infinity, index = () => NO_ENGINE }) => [
  readRoute("/health", "status", { ...ABOUT, id: "health", summary: "Whether the service is alive." }, () =>
    momentaryJson({ status: "ok" }),
  ),
  readRoute("/ready", "status", { ...ABOUT, id: "ready", summary: READY }, async () => {
    // Any look-up shows whether the store can be read. If it fails, the answer is 503.
    await fromStore(async () => store.find(`${base}/`));
    const lag = directory === undefined ? undefined : await lagOf(directory);
    if (lag !== undefined && lag > maxLag) {
      const detail = `Last in step with its source: ${lag === Infinity ? "never" : `${lag} s ago`}.`;
      throw new ProblemError("unavailable", detail, { members: { lag } });
    }
    return momentaryJson({ index: { ...(await index()) }, ...(lag === undefined ? {} : { lag }) });
  }),
];

export const metricsRoute: RouteMaker = ({ metrics }) => {
  if (metrics === undefined) return [];
  const { text, token } = metrics;
  const get: Operation = {
    id: "metrics",
    tag: "Service",
    summary: "Counts, times and sizes in the format of Prometheus.",
    types: ["text/plain"],
    problems: token === undefined ? [] : ["unauthorized"],
  };
  const answer = async ({ headers }: RouteRequest): Promise<Content> => {
    checkToken(headers.authorization, token, "the metrics");
    return { type: "text/plain; version=0.0.4; charset=utf-8", body: await text(), cacheControl: "no-store" };
  };
  return [readRoute("/metrics", "status", get, answer, { takesToken: token !== undefined })];
};
