/** The options of queries, checked. */
import type { GivenEngine, ManagedName, OwnIndexSettings } from "../../query/open.js";
import { secretOf } from "./common.js";
import { engineOf, managedOf } from "./engine-options.js";
import { type Options, UsageError } from "./options.js";

export function indexOptions(options: Options, report: (message: string) => void): OwnIndexSettings {
  return {
    kind: "index",
    directory: options.required("store"),
    queryMemory: options.number("query-memory")! * 2 ** 20,
    graphTriples: options.number("index-graphs")!,
    report,
  };
}

/** How queries are answered, by the options; `undefined` where access is off. */
export interface Querying {
  readonly index: Omit<OwnIndexSettings, "report">;
  /** The engine that answers in place of an index of this machine. */
  readonly engine?: GivenEngine | undefined;
  /** The same, run by the service itself. */
  readonly managed?: ManagedName | undefined;
  /** Milliseconds that a query may run. */
  readonly timeout: number;
  readonly rows: number;
  readonly bytes: number;
  readonly token?: string | undefined;
}

/** Throws `UsageError`. */
export async function queryingOf(options: Options): Promise<Querying | undefined> {
  const access = options.required("sparql-access");
  const token = await secretOf(options, "sparql-token");
  if (access === "token" && token === undefined) throw new UsageError("--sparql-access token needs --sparql-token");
  const { report: _, ...index } = indexOptions(options, () => {});
  const engine = await engineOf(options);
  const managed = await managedOf(options);
  if (access === "off") return undefined;
  return {
    index: { ...index, processes: options.number("query-processes")! },
    engine,
    managed,
    timeout: options.number("query-timeout")! * 1_000,
    rows: options.number("query-rows")!,
    bytes: options.number("query-size")! * 2 ** 20,
    token: access === "token" ? token : undefined,
  };
}
