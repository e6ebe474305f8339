/** The request of a harvester: verb and arguments, checked by the rules of OAI-PMH 2.0. */
import { unpacked } from "../../../base/json.js";
import { NamedError } from "../../../base/named-error.js";

/** Thrown for a request that is answered with an error of the protocol (3.6), which has status 200. */
export class OaiError extends NamedError {
  constructor(
    readonly code:
      | ("badArgument" | "badResumptionToken" | "badVerb")
      | ("cannotDisseminateFormat" | "idDoesNotExist" | "noRecordsMatch"),
    message: string,
  ) {
    super(message);
  }
}

/** The arguments of each verb; a resumption token replaces all others. */
const VERBS = {
  Identify: { required: [], optional: [] },
  ListMetadataFormats: { required: [], optional: ["identifier"] },
  ListSets: { required: [], optional: ["resumptionToken"] },
  GetRecord: { required: ["identifier", "metadataPrefix"], optional: [] },
  ListIdentifiers: { required: ["metadataPrefix"], optional: ["from", "until", "set", "resumptionToken"] },
  ListRecords: { required: ["metadataPrefix"], optional: ["from", "until", "set", "resumptionToken"] },
} as const;

/** By the schema of answers, the request that they repeat has no other texts than these. */
const SYNTAX = { metadataPrefix: /^[\w\-.!~*'()]+$/, set: /^[\w\-.!~*'()]+(?::[\w\-.!~*'()]+)*$/ };

type Verb = keyof typeof VERBS;

export const VERB_NAMES = Object.keys(VERBS) as readonly Verb[];
export const ARGUMENT_NAMES = ["identifier", "metadataPrefix", "from", "until", "set", "resumptionToken"] as const;

export interface OaiRequest {
  readonly verb: Verb;
  readonly given: Readonly<Partial<Record<(typeof ARGUMENT_NAMES)[number], string>>>;
}

/** Reads a request. Throws `OaiError` badVerb or badArgument. */
export function readRequest(parameters: URLSearchParams): OaiRequest {
  const verbs = parameters.getAll("verb");
  const [verb = ""] = verbs;
  if (verbs.length !== 1 || !Object.hasOwn(VERBS, verb))
    throw new OaiError("badVerb", `There must be exactly one argument verb: ${VERB_NAMES.join(", ")}`);
  const { required, optional } = VERBS[verb as Verb];
  const allowed: readonly string[] = [...required, ...optional];
  const given = Object.fromEntries([...parameters].filter(([name]) => name !== "verb"));
  const names = Object.keys(given);
  const isContinued = allowed.includes("resumptionToken") && given.resumptionToken !== undefined;
  if (isContinued && names.length > 1) throw badArgument("resumptionToken excludes all other arguments except verb");
  const unknown = names.find((name) => !allowed.includes(name));
  if (unknown !== undefined) throw badArgument(`${verb} has no argument ${unknown}`);
  // Only the few arguments of the verb are left, since looking for each of many among all takes long.
  const repeated = names.find((name) => parameters.getAll(name).length > 1);
  if (repeated !== undefined) throw badArgument(`${repeated} occurs more than once`);
  if (isContinued) return { verb: verb as Verb, given };
  const missing = required.find((name) => given[name] === undefined);
  if (missing !== undefined) throw badArgument(`${verb} needs ${missing}`);
  for (const [name, syntax] of Object.entries(SYNTAX))
    if (!syntax.test(given[name] ?? "_")) throw badArgument(`${name} has characters that no such name has`);
  return { verb: verb as Verb, given };
}

/** What a list contains. Times are in milliseconds since 1970. */
interface Listing {
  readonly prefix: string;
  readonly set?: string | undefined;
  /** The first millisecond after the listed period. */
  readonly before?: number | undefined;
}

/** The position in a list at which the next part begins. The token contains all of it, so it stays valid after a load or a restart. */
export interface Position extends Listing {
  /** The sequence number of the last change that was given. */
  readonly after: number;
  /** What that change is (`changeMark`), in the position of a token. After a restored backup its number may be that of another change. */
  readonly mark?: string;
  readonly given: number;
}

const DAY = 86_400_000;

/** The list of a request without a token, and the first millisecond of its period. Throws `OaiError` badArgument. */
export function listQueryOf({ given }: OaiRequest): Listing & { readonly from: number | undefined } {
  const { from, until, set, metadataPrefix } = given;
  if (from !== undefined && until !== undefined && from.length !== until.length)
    throw badArgument("from and until must have the same granularity");
  const first = from === undefined ? undefined : timeOf("from", from);
  const last = until === undefined ? undefined : timeOf("until", until);
  if (first !== undefined && last !== undefined && first > last) throw badArgument("from is later than until");
  const unit = until?.length === "YYYY-MM-DD".length ? DAY : 1_000;
  return { prefix: metadataPrefix!, set, from: first, before: last === undefined ? undefined : last + unit };
}

function timeOf(name: string, text: string): number {
  const whole = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(whole) ? Date.parse(whole) : Number.NaN;
  // JavaScript reads 30 February as 2 March.
  if (!Number.isNaN(time) && datestamp(time) === whole) return time;
  throw badArgument(`${name} ${text} is neither YYYY-MM-DD nor YYYY-MM-DDThh:mm:ssZ`);
}

/** Writes a time as a date of the protocol (3.3). @param time in milliseconds since 1970 */
export function datestamp(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** The position in a token. Throws `OaiError` badResumptionToken. */
export function positionOf(token: string): Position {
  const { prefix, set, before, after, mark, given } = unpacked<Readonly<Record<string, unknown>>>(token) ?? {};
  const areCounts = [before ?? 0, after, given].every((each) => Number.isSafeInteger(each) && (each as number) >= 0);
  const isListing = [prefix, set ?? "", mark].every((each) => typeof each === "string");
  if (!areCounts || !isListing) throw badToken();
  // A forged token may have further members; drop them.
  return { prefix, set, before, after, mark, given } as Position;
}

function badArgument(detail: string): OaiError {
  return new OaiError("badArgument", detail);
}

/** The error for a resumption token that this service never issued (OAI-PMH, 3.6). */
export function badToken(): OaiError {
  return new OaiError("badResumptionToken", "This service did not issue this token: start the list again");
}
