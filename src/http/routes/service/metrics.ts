/** `/metrics`: what Prometheus reads. */
import { hasToken } from "../../loads/tokens.js";
import type { Content } from "../../message/content.js";
import { ProblemError } from "../../message/problems/problems.js";
import { METRICS_TYPE } from "../../telemetry/metrics.js";
import { type Operation, type RouteMaker, type RouteRequest, readRoute } from "../route.js";

export const metricsRoute: RouteMaker = ({ metrics }) => {
  if (metrics === undefined) return [];
  const { text, token } = metrics;
  const get: Operation = {
    id: "metrics",
    tag: "Service",
    summary: "Counts, times and sizes, as Prometheus reads them.",
    content: { "text/plain": {} },
    problems: token === undefined ? [] : ["unauthorized"],
  };
  const answer = async ({ headers }: RouteRequest): Promise<Content> => {
    if (token !== undefined && !hasToken(headers.authorization, token)) {
      const detail = "Send the token of the metrics as Authorization: Bearer TOKEN.";
      throw new ProblemError("unauthorized", { detail, headers: ["WWW-Authenticate", "Bearer"] });
    }
    return { type: METRICS_TYPE, body: await text(), cacheControl: "no-store" };
  };
  return [readRoute("/metrics", "status", get, answer, { takesToken: token !== undefined })];
};
