/** The options that all commands share, and what they stand for: the model's settings, contexts, the base URL. */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { iriSpellings } from "../../http/entity/iri-equivalents.js";
import type { ModelSettings } from "../../model/settings.js";
import type { Json } from "../../rdf/record-graph.js";
import { resolveIri } from "../../rdf/resolve.js";
import { hasScheme, iriProblem } from "../../rdf/terms.js";
import { firstRecord, type Store } from "../../store/store.js";
import { whyUnreadable } from "../main/exit-status.js";
import { argument, type Option, type Options, UsageError, usable } from "./options.js";
import { COMMON_SETTINGS } from "./table.js";

export const COMMON_OPTIONS: readonly Option[] = [
  ...COMMON_SETTINGS,
  argument("json", "machine-readable output on standard output"),
  argument("config FILE", "the settings file, instead of vitrine.yaml or vitrine.json in the working directory"),
  argument("help", "this text"),
];

/** The data model's settings, `--context-uri` and `--vocab-base`. Throws `UsageError`. */
export function modelOf(options: Options): ModelSettings {
  return {
    contextUri: checkedIri("--context-uri", options.required("context-uri")),
    vocabBase: checkedIri("--vocab-base", options.required("vocab-base")).replace(/\/$/, ""),
  };
}

/** The folder with all dumps. */
export function dumpsOf(options: Options): string {
  return options.text("dumps") ?? join(options.required("store"), "dumps");
}

/** The first `--base-url`, against which relative ids are resolved. Throws `UsageError`. */
export function baseUrlOf(options: Options): string | undefined {
  return baseUrlsOf(options)[0];
}

/** All values of `--base-url`, each with a final slash. Throws `UsageError`. */
export function baseUrlsOf(options: Options): readonly string[] {
  return options.all("base-url").map((url) => httpBase("--base-url", url));
}

/** A base URL with a final slash. @param name the option's name on the command line. Throws `UsageError`. */
export function httpBase(name: string, url: string): string {
  checkedIri(name, url);
  if (!/^https?:\/\/[^/?#]+[^?#]*$/.test(url))
    throw new UsageError(`${name} ${url} is not an http or https address without ? and #`);
  return url.endsWith("/") ? url : `${url}/`;
}

/** The IRI that an argument stands for: resolved as `baseUrlFor` says if it is relative, and spelled as the record spells it. Throws `UsageError`. */
export async function iriArgument(given: string, options: Options, store: Store): Promise<string> {
  const iri = absoluteIri(given, await baseUrlFor(options, store));
  const problem = iriProblem(iri);
  if (problem !== undefined) throw new UsageError(`${JSON.stringify(iri)} ${problem}`);
  return spelledAs(iri, store);
}

/** An IRI in the spelling that has a record, or else in one that had a record, or else as it is given; also as it is given if its own record was deleted or moved, perhaps to another spelling. Browsers copy addresses percent-encoded. */
export async function spelledAs(iri: string, store: Store): Promise<string> {
  const spellings = iriSpellings(iri);
  if (spellings.length === 1) return iri;
  const tombstones = await Promise.all(spellings.map((each) => store.tombstone(each)));
  const found = tombstones[0] === undefined ? await firstRecord(store, spellings) : undefined;
  return found?.iri ?? tombstones.find((each) => each !== undefined)?.iri ?? iri;
}

/** The base URL that relative arguments are resolved against: `--base-url`, or the one that the store was loaded with. */
export async function baseUrlFor(options: Options, store: Store): Promise<string | undefined> {
  return baseUrlOf(options) ?? (await store.stats()).baseUrl ?? undefined;
}

/** An IRI, which may be given relative to `base`. Throws `UsageError` for a relative one without a base. @param also words of the message before `is relative` */
export function absoluteIri(given: string, base: string | undefined, also = ""): string {
  // An empty argument, such as an unset variable of a script, would stand for the base URL itself.
  if (given === "") throw new UsageError("an IRI is empty: name an entity");
  if (hasScheme(given)) return given;
  if (base !== undefined) return resolveIri(base, given);
  throw new UsageError(`${JSON.stringify(given)} ${also}is relative, and the store has no base URL: give --base-url`);
}

/** The value, if it is an IRI. @param name how the error message begins. Throws `UsageError`. */
export function checkedIri(name: string, value: string, problem = iriProblem(value)): string {
  if (problem !== undefined) throw new UsageError(`${name} ${JSON.stringify(value)} ${problem}`);
  return value;
}

/** The contexts given by `--context`, by URI. Throws `UsageError` for files that cannot be read or parsed. */
export async function givenContexts(options: Options): Promise<ReadonlyMap<string, Json>> {
  const contexts = new Map<string, Json>();
  for (const given of options.all("context")) {
    // A URI may contain an equals sign; a file name rarely does.
    const equals = given.lastIndexOf("=");
    if (equals <= 0) throw new UsageError(`--context ${given}: write URI=FILE`);
    const read = () => JSON.parse(readFileSync(given.slice(equals + 1), "utf8")) as Json;
    contexts.set(given.slice(0, equals), usable(`--context ${given}: `, read, Error));
  }
  return contexts;
}

/** The text of a file named by an option, without a byte order mark. @param named how error messages begin, such as `--shapes FILE`. Throws `UsageError`. */
export async function namedText(file: string, named = file): Promise<string> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new UsageError(`${named} cannot be read: ${whyUnreadable(error)}`);
  });
  return text.replace(/^\uFEFF/, "");
}

/** Who may use a service, as `--NAME-access` and `--NAME-token` say, with the token that they need, if any; `undefined` for nobody. Throws `UsageError`. */
export async function accessOf(options: Options, name: "sparql" | "metrics") {
  const token = await secretOf(options, `${name}-token`);
  const access = options.text(`${name}-access`) ?? (token === undefined ? "public" : "token");
  if (access === "off") return undefined;
  if (access === "token" && token === undefined) throw new UsageError(`--${name}-access token needs --${name}-token`);
  if (access === "public" && token !== undefined)
    throw new UsageError(`--${name}-access public contradicts --${name}-token: leave one of them out`);
  return { token };
}

/** A secret, given directly or as `@FILE`, which keeps it out of the process list. Throws `UsageError`. */
export async function secretOf(options: Options, name: string): Promise<string | undefined> {
  const given = options.text(name);
  if (given === undefined || !given.startsWith("@")) return given;
  const text = await namedText(given.slice(1), `--${name} ${given}`);
  if (text.trim() === "") throw new UsageError(`--${name} ${given}: the file is empty`);
  return text.trim();
}
