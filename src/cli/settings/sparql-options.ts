/** The checked options of queries. */
import type { EngineAddresses, EngineGraphs } from "../../engine/engine-access.js";
import { type EngineSettings, ensureInstalled, MANAGED_NAMES } from "../../query/open.js";
import { accessOf, namedText, secretOf } from "./common.js";
import { type Options, UsageError } from "./options.js";
import { ENGINE_SETTINGS } from "./table.js";

/** The settings of the built-in index for SPARQL. Throws `UsageError`. */
export function indexOptions(options: Options): EngineSettings & { readonly kind: "index" } {
  return {
    kind: "index",
    directory: options.required("store"),
    queryMemory: options.number("query-memory")! * 2 ** 20,
    graphTriples: options.number("index-graphs")!,
  };
}

export type Querying = NonNullable<Awaited<ReturnType<typeof queryingOf>>>;

/** The settings of queries, or `undefined` when access is off. Throws `UsageError`, and `EngineError` when an engine to be run here is not installed. */
export async function queryingOf(options: Options) {
  const access = await accessOf(options, "sparql");
  const managed = managedBy(options);
  if (managed !== undefined) await ensureInstalled(managed);
  const engine = await engineOf(options);
  if (access === undefined) return undefined;
  return {
    index: { ...indexOptions(options), processes: options.number("query-processes")! },
    /** The engine that answers instead of an index on this machine, either elsewhere or run by the service itself. */
    engine,
    managed,
    timeout: options.number("query-timeout")! * 1_000,
    rows: options.number("query-rows")!,
    bytes: options.number("query-size")! * 2 ** 20,
    token: access.token,
  };
}

/** The name of the engine that the service runs itself, if any. */
function managedBy(options: Options) {
  return MANAGED_NAMES.find((name) => name === options.text("engine"));
}

/** The external engine that the options name, if any. Throws `UsageError`. */
export async function engineOf(options: Options) {
  const url = managedBy(options) === undefined ? address(options, "engine") : undefined;
  const others = ENGINE_SETTINGS.filter(({ name, default: given }) => name !== "engine" && given === undefined);
  if (url === undefined) {
    const without = others.find(({ name }) => options.text(name) !== undefined);
    if (without !== undefined) throw new UsageError(`--${without.name} needs --engine URL`);
    return undefined;
  }
  const ca = options.text("engine-ca");
  return {
    url,
    graphs: options.required("engine-graphs") as EngineGraphs,
    update: address(options, "engine-update"),
    graphStore: address(options, "engine-graph-store"),
    credentials: await credentialsOf(options),
    ca: ca === undefined ? undefined : await namedText(ca, `engine-ca ${ca}`),
  };
}

function address(options: Options, name: string): string | undefined {
  const text = options.text(name);
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    const others = name === "engine" ? `, nor an engine that can be run here (${MANAGED_NAMES.join(", ")})` : "";
    throw new UsageError(`--${name} ${JSON.stringify(text)} is not an http or https address${others}`);
  }
  if (url.username !== "" || url.password !== "")
    throw new UsageError(`--${name} holds a password, which would be shown: give --engine-user and --engine-password`);
  return text;
}

async function credentialsOf(options: Options): Promise<EngineAddresses["credentials"]> {
  const user = options.text("engine-user");
  const password = await secretOf(options, "engine-password");
  if (password === undefined && user !== undefined) throw new UsageError("--engine-user needs --engine-password");
  if (password === undefined) return undefined;
  return user === undefined ? { token: password } : { user, password };
}
