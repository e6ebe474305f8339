/** The messages of the rules, for a curator whose record breaks them. */
import { quoted } from "../../base/shortened.js";
import { type Term, XSD } from "../../rdf/terms.js";
import type { LiteralKind } from "../tables/names.js";
import { instantFor, timestampFault, timestampOf } from "../timestamps.js";
import type { ClassName } from "../vocabulary/classes.js";
import type { Demand, Rule, Severity } from "./rule.js";

/** The message of a rule: what is wrong, and what would be right. `title` names the kind of node. */
export function messageOf(
  demand: Demand,
  property: string,
  title: string,
  severity: Severity,
  when?: readonly ClassName[],
): string {
  switch (demand.kind) {
    case "presence": {
      const strength = severity === "Violation" ? "required" : "recommended";
      return `${property} is missing: it is ${strength} for ${article(title)}${onlyOf(when)}`;
    }
    case "count":
      return `${property} has more than one value, but ${article(title)} may have only one`;
    case "absence":
      return `${property} is not allowed for ${article(title)}${property === "member" ? ": its members have member_of" : ""}`;
    case "usable":
      return `${property} is usable only when type is ${either(demand.classes)}`;
    case "includes":
      return `${property} must include <${demand.iri}> for ${article(title)}${onlyOf(when)}`;
    case "literal":
      return LITERALS[demand.literal](property);
    case "geometry":
      return `${property} is not well-formed WKT or GeoJSON`;
    case "order":
      return `${property} is before ${either(demand.notBefore)}`;
    case "node":
      return demand.named
        ? `${property} must be a term of the data model or an IRI`
        : `${property} must be an object with id and type, not text`;
    case "class":
      return `${property} must be of type ${either(demand.classes)}`;
    case "id": {
      const instead = demand.unless === undefined ? "" : `, or its Digital Object by ${demand.unless.property}`;
      return `${property} refers to an entity without naming it: give its id${instead}`;
    }
    case "type":
      return `type must be ${either(demand.classes)}`;
    case "address":
      return `the id of ${article(title)} must be an HTTP or HTTPS URI`;
    case "closed":
      return `${article(title)} may only have the properties of its table, and this is not one of them`;
    case "nesting":
      return `structures are nested more than ${demand.most} levels deep`;
  }
}

/** The message of a rule for one value that breaks it. Where possible, it names the fault of this value and its correction. */
export function messageFor({ demand, property, message }: Rule, value: Term): string {
  if (demand.kind !== "literal" || value.termType !== "Literal") return message;
  const fault = FAULTS[demand.literal]?.(value, property ?? "");
  // Specific advice replaces the general example.
  return fault === undefined ? message : `${message.split(EXAMPLE, 1)[0]}: ${fault}`;
}

/** The beginning of the example at the end of a message. */
const EXAMPLE = /: for the year 1889 write |, such as 12 or 4\.5/;

/** A number with its sign, and with a point or comma before its fraction. */
const NUMBER = /^([+-]?)(\d+)(?:([.,])(\d+))?$/;

const FAULTS: Readonly<Partial<Record<LiteralKind, (value: Term, property: string) => string | undefined>>> = {
  timestamp: ({ value, datatype }, property) => {
    const fault = timestampFault(value, instantFor(property));
    if (datatype === XSD.dateTime || timestampOf(value, "first") !== value) return fault;
    return `its datatype must be <${XSD.dateTime}>`;
  },
  number: ({ value, datatype, language }) => {
    const [, sign, digits, mark, fraction] = NUMBER.exec(value.trim()) ?? [];
    if (language !== "" || digits === undefined) return undefined;
    // JSON allows neither a plus sign nor leading zeros.
    const whole = `${sign === "-" ? "-" : ""}${digits.replace(/^0+(?=\d)/, "")}`;
    const how = datatype === XSD.string ? "as a number, not as a text" : `with the datatype <${XSD.decimal}>`;
    if (fraction === undefined) return `write ${whole}, ${how}`;
    const mayBeThousands = mark === "," && fraction.length === 3 && /^[1-9]\d{0,2}$/.test(digits);
    const other = mayBeThousands ? ` or ${whole}${fraction}, whichever is meant` : "";
    return `write ${whole}.${fraction}${other}, ${how}`;
  },
  text: ({ value, datatype, language }) => {
    if (language !== "") return `remove the language ${language}, or give it as language`;
    // A number of JSON becomes a double in its canonical form, which nobody wrote.
    const isCanonical = datatype === XSD.double && /\dE-?\d/.test(value);
    return datatype === XSD.string ? undefined : `write ${quoted(isCanonical ? String(Number(value)) : value)}`;
  },
};

const LITERALS: Readonly<Record<LiteralKind, (property: string) => string>> = {
  text: (property) => `${property} must be one plain string: no object, number, language tag or other datatype`,
  number: (property) => `${property} must be a number, such as 12 or 4.5`,
  timestamp: (property) =>
    `${property} must be a UTC timestamp in the form YYYY-MM-DDThh:mm:ssZ: for the year 1889 write ${timestampOf("1889", instantFor(property))}`,
  "media type": (property) => `${property} must be a media type in the form type/subtype, such as image/jpeg`,
  geometry: (property) => `${property} must be a geometry as WKT, such as POINT (4.9 52.4), or as GeoJSON`,
};

function article(title: string): string {
  return `${/^[AEIOU]/i.test(title) ? "an" : "a"} ${title}`;
}

function onlyOf(classes: readonly string[] | undefined): string {
  return classes === undefined ? "" : ` of type ${either(classes)}`;
}

function either(classes: readonly string[]): string {
  return classes.length === 1 ? classes[0]! : `${classes.slice(0, -1).join(", ")} or ${classes.at(-1)}`;
}
