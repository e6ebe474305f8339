/** The options of an engine elsewhere that answers queries, checked. */
import type { EngineAddresses } from "../../engine/engine-access.js";
import type { EngineGraphs, GivenEngine } from "../../query/open.js";
import { namedText, secretOf } from "./common.js";
import { type Options, UsageError } from "./options.js";
import { ENGINE_SETTINGS } from "./table.js";

/** The engine that the options name, if any. Throws `UsageError`. */
export async function engineOf(options: Options): Promise<GivenEngine | undefined> {
  const url = address(options, "engine");
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
    throw new UsageError(`--${name} ${JSON.stringify(text)} is no http or https address`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError(`--${name} holds a password, which would be shown: give --engine-user and --engine-password`);
  }
  return text;
}

async function credentialsOf(options: Options): Promise<EngineAddresses["credentials"]> {
  const user = options.text("engine-user");
  const password = await secretOf(options, "engine-password");
  if (password === undefined && user !== undefined) throw new UsageError("--engine-user needs --engine-password");
  if (password === undefined) return undefined;
  return user === undefined ? { token: password } : { user, password };
}
