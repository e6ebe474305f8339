/** Everything that is no entity, on Express: the service's own paths, and the last word on what nobody answered. */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Response } from "express";
import type { ModelSettings } from "../../model/settings.js";
import type { IndexState } from "../../query/oxigraph/query-index.js";
import type { Json } from "../../rdf/record-graph.js";
import type { Store } from "../../store/store.js";
import { type Answer, bodyHeaders, COMMON_HEADERS, READ_METHODS, send } from "../answer.js";
import type { Representation } from "../entity/representations.js";
import { type ConditionalHeaders, evaluateConditions } from "../headers/conditions.js";
import { PAGE_HEADERS } from "../pages/html.js";
import { forReader } from "../problems/error-page.js";
import { PROBLEMS, type ProblemName, problem, problemType } from "../problems/problems.js";
import { fromStore } from "../problems/store-unavailable.js";
import type { ModelFile } from "./model-files.js";
import { openApi } from "./openapi/openapi.js";
import { openApiPage } from "./openapi/page.js";

export interface ServiceOptions {
  readonly store: Store;
  readonly model: ModelSettings;
  /** `{base_url}` without a final slash. */
  readonly base: string;
  /** What `/context` answers: the data model's JSON-LD context document. Default: there is no such path. */
  readonly context?: Json;
  /** The model's files, each at its path. Default: there are none. */
  readonly files?: readonly ModelFile[];
  /** What the description of the interface tells of entities. */
  readonly representations: readonly Representation[];
  /** The directory behind `/images/`. Default: there is no such path. */
  readonly images?: string;
  /** What `/ready` says of the index. Default: that there is none. */
  readonly index?: () => IndexState | Promise<IndexState>;
  /** Answers `/sparql`, and what of the editor lies under it. Default: there is no such path. */
  readonly sparql?: SparqlServices;
  /** What is answered when no service has the path. */
  readonly otherwise: (request: IncomingMessage) => Promise<Answer>;
  /** What is answered when anything was thrown. */
  readonly failure: (error: unknown, request: IncomingMessage) => Answer;
}

/** What is under `/sparql`. */
export interface SparqlServices {
  /** The endpoint. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The editor's files, each at its path. */
  readonly files?: readonly ModelFile[];
}

const NO_INDEX: IndexState = { state: "off", done: 0, total: 0 };

/** The first segments of the paths that are the service's own unless a record has them. */
export const SERVICE_SEGMENTS = [
  "context",
  "frames",
  "health",
  "images",
  "openapi.html",
  "openapi.json",
  "problems",
  "ready",
  "schemas",
  "shapes",
  "sparql",
] as const;

/** The home page, and all of those. */
const SERVICE_PATH = new RegExp(`^/(?:(?:${SERVICE_SEGMENTS.join("|").replaceAll(".", "\\.")})(?:[/?]|$)|\\?|$)`);

/** Whether a path belongs to the service rather than to an entity. */
export function isServicePath(path: string): boolean {
  return SERVICE_PATH.test(path);
}

/** Images may be SVG, which a browser would run scripts of: nothing in them may do anything. */
const IMAGE_HEADERS = {
  "Cache-Control": "max-age=3600",
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
};

export function services(options: ServiceOptions): Express {
  const { store, base, context, files = [], images, index = () => NO_INDEX, failure, otherwise } = options;
  const app = express();
  app.disable("x-powered-by");
  for (const setting of ["case sensitive routing", "strict routing"]) app.enable(setting);
  app.get("/", async (_request, response) => send(response, json(await description(options))));
  app.get("/health", (_request, response) => send(response, json({ status: "ok" })));
  app.get("/ready", async (_request, response) => {
    // Any reading will do: when it fails, the failure's answer is 503.
    await fromStore(async () => store.find(`${base}/`));
    send(response, json({ index: { ...(await index()) } }));
  });
  app.get(
    "/problems",
    fixed("application/json", jsonText({ problems: PROBLEM_NAMES.map((name) => documented(base, name)) })),
  );
  for (const name of PROBLEM_NAMES) {
    app.get(`/problems/${name}`, fixed("application/json", jsonText(documented(base, name))));
  }
  if (context !== undefined) app.get("/context", fixed("application/ld+json", jsonText(context)));
  describeInterface(app, options);
  const { sparql } = options;
  for (const { path, contentType, content } of [...files, ...(sparql?.files ?? [])])
    app.get(`/${path}`, fixed(contentType, content));
  if (images !== undefined) app.use("/images", imagesFrom(images));
  if (sparql !== undefined) app.all("/sparql", (request, response) => sparql.handle(request, response));
  app.use(async (request, response) => {
    const answer = isRead(request.method) ? await otherwise(request) : methodNotAllowed(base, request);
    send(response, forReader(answer, request.headers.accept));
  });
  app.use(errors(base, failure));
  return app;
}

function describeInterface(app: Express, { model, base, representations, images, sparql }: ServiceOptions): void {
  const optional = { images: images !== undefined, sparql: sparql !== undefined };
  const description = openApi({ model, base, representations, ...optional });
  app.get("/openapi.json", fixed("application/vnd.oai.openapi+json;version=3.1", jsonText(description)));
  app.get("/openapi.html", fixed("text/html; charset=utf-8", openApiPage(description), PAGE_HEADERS));
}

const PROBLEM_NAMES = Object.keys(PROBLEMS) as ProblemName[];

function documented(base: string, name: ProblemName): Json {
  return { type: problemType(base, name), ...PROBLEMS[name] };
}

export function isRead(method: string | undefined): boolean {
  return method === "GET" || method === "HEAD";
}

/** 405 for whatever is neither GET, HEAD nor OPTIONS (RFC 9110, 15.5.6). */
function methodNotAllowed(base: string, { method, url }: IncomingMessage): Answer {
  return problem(base, "method-not-allowed", {
    detail: `${method} has no meaning here: ${READ_METHODS} do.`,
    instance: url ?? "/",
    headers: ["Allow", READ_METHODS],
  });
}

/** What the service is and where things are, until there is a page. */
async function description({ store, base, model, context }: ServiceOptions): Promise<Json> {
  const { records, endpoints, lastChange } = await fromStore(() => store.stats());
  return {
    name: "Vitrine",
    records,
    endpoints: { ...endpoints },
    lastChange: lastChange === null ? null : new Date(lastChange).toISOString(),
    entity: `${base}/entity?uri={iri}`,
    contextUri: model.contextUri,
    openapi: `${base}/openapi.json`,
    ...(context === undefined ? {} : { context: `${base}/context` }),
  };
}

/** JSON that is true at this moment only. */
function json(value: Json): Answer {
  const body = jsonText(value);
  return { status: 200, headers: [...bodyHeaders("application/json", body), "Cache-Control", "no-store"], body };
}

function jsonText(value: Json): string {
  return `${JSON.stringify(value)}\n`;
}

/** A document that stays the same for as long as the service runs, with its entity tag. */
function fixed(contentType: string, body: string, headers: readonly string[] = []): RequestHandler {
  const tag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  const cache = ["ETag", tag, "Cache-Control", "no-cache"];
  const whole: Answer = { status: 200, headers: [...cache, ...headers, ...bodyHeaders(contentType, body)], body };
  const unchanged: Answer = { status: 304, headers: [...cache, ...COMMON_HEADERS], body: "" };
  return (request, response) => {
    // There is no date, so only the tag can be compared.
    const { "if-none-match": noneMatch } = request.headers as ConditionalHeaders;
    const outcome = evaluateConditions({ "if-none-match": noneMatch }, tag, 0);
    send(response, outcome === "not modified" ? unchanged : whole);
  };
}

function imagesFrom(directory: string): RequestHandler {
  return express.static(directory, {
    acceptRanges: false,
    cacheControl: false,
    dotfiles: "ignore",
    index: false,
    redirect: false,
    setHeaders: (response: Response) => {
      for (const [name, value] of Object.entries(IMAGE_HEADERS)) response.setHeader(name, value);
      for (let at = 0; at < COMMON_HEADERS.length; at += 2) {
        response.setHeader(COMMON_HEADERS[at]!, COMMON_HEADERS[at + 1]!);
      }
    },
  });
}

/** Express recognises the last of its handlers by their four parameters. */
function errors(base: string, failure: ServiceOptions["failure"]): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // Express's own complaints, such as a path that does not decode, have a status.
    const status = error instanceof Error && "status" in error ? Number(error.status) : 500;
    const malformed = status >= 400 && status < 500;
    const answer = malformed
      ? problem(base, "malformed", { detail: "The path does not decode.", instance: request.originalUrl })
      : failure(error, request);
    send(response, forReader(answer, request.headers.accept));
  };
}
