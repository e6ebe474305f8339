/** The options of an engine elsewhere that answers queries, checked. */
import type { EngineAddresses } from "../engine/engine-access.js";
import type { EngineGraphs, GivenEngine } from "../query/open.js";
import { namedText, secretOf } from "./common.js";
import { type Option, type Options, UsageError } from "./options.js";

export const ENGINE_OPTIONS: readonly Option[] = [
  { name: "engine", value: "URL", help: "a SPARQL engine that answers queries, kept in step with the records" },
  { name: "engine-update", value: "URL", help: "where it takes updates; default: where it takes queries" },
  { name: "engine-graph-store", value: "URL", help: "where it takes graphs, which is quicker than updates" },
  { name: "engine-user", value: "NAME", help: "whom it knows; Basic or Digest, as it asks" },
  { name: "engine-password", value: "TEXT", secret: true, help: "the password" },
  { name: "engine-token", value: "TEXT", secret: true, help: "a token in place of name and password" },
  { name: "engine-ca", value: "FILE", help: "the certificate that its certificate is signed with, in PEM form" },
  {
    name: "engine-graphs",
    value: "HOW",
    default: "merged",
    choices: ["merged", "records"],
    help: "all records in one graph, or each in a graph of its own",
  },
];

/** That the records are the engine's, too. */
export const READ_ONLY_ENGINE: Option = {
  name: "read-only-engine",
  help: "publish the records from the engine, which others fill; there is no store then",
};

/** The engine that the options name, if any. Throws `UsageError`. */
export async function engineOf(options: Options): Promise<GivenEngine | undefined> {
  const url = address(options, "engine");
  const others = ENGINE_OPTIONS.filter(({ name, default: given }) => name !== "engine" && given === undefined);
  if (url === undefined) {
    const without = others.find(({ name }) => options.text(name) !== undefined);
    if (without !== undefined) throw new UsageError(`--${without.name} needs --engine URL`);
    return undefined;
  }
  const update = address(options, "engine-update");
  const graphStore = address(options, "engine-graph-store");
  const credentials = await credentialsOf(options);
  const ca = await certificate(options);
  return {
    url,
    graphs: options.required("engine-graphs") as EngineGraphs,
    ...(update === undefined ? {} : { update }),
    ...(graphStore === undefined ? {} : { graphStore }),
    ...(credentials === undefined ? {} : { credentials }),
    ...(ca === undefined ? {} : { ca }),
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
  const token = await secretOf(options, "engine-token");
  if (token !== undefined && user !== undefined) throw new UsageError("give --engine-token or --engine-user, not both");
  if ((user === undefined) !== (password === undefined)) {
    throw new UsageError("--engine-user and --engine-password go together");
  }
  if (token !== undefined) return { token };
  return user === undefined ? undefined : { user, password: password! };
}

async function certificate(options: Options): Promise<string | undefined> {
  const file = options.text("engine-ca");
  return file === undefined ? undefined : await namedText(file, `--engine-ca ${file}`);
}
