/** Compact forms of literals under a term: value compaction (JSON-LD 1.1 API, 6.4), but only to forms that are read as the same literal. */
import type { Json } from "../rdf/record-graph.js";
import { canonicalDecimal, NUMBER_DATATYPES, type Term, XSD } from "../rdf/terms.js";
import type { CompactedValueKind, Compaction } from "./compaction.js";
import type { TermDefinition } from "./context-definition.js";
import { literalToJson, literalToNative, nativeToLiteral } from "./native.js";

/** A function that writes literals of one kind under a term. `definition` is the one in force where the values are read. */
export function literalWriter(
  kind: CompactedValueKind,
  definition: TermDefinition | undefined,
  compaction: Compaction,
): (literal: Term) => Json {
  const type = definition?.type === "@none" ? undefined : definition?.type;
  const { context } = compaction;
  const valueKey = compaction.keyword("@value");
  const typeKey = compaction.keyword("@type");
  switch (kind.kind) {
    case "typed": {
      if (type === kind.datatype) return ({ value }) => value;
      const datatype = compaction.vocab(kind.datatype);
      return ({ value }) => ({ [typeKey]: datatype, [valueKey]: value });
    }
    case "json":
      if (type === "@json") return ({ value }) => literalToJson(value)!;
      return ({ value }) => ({ [typeKey]: "@json", [valueKey]: literalToJson(value)! });
    case "language": {
      // Under the term's own language a plain string suffices, if the language tags agree in case.
      const isImplied =
        type === undefined &&
        context.languageUnder(definition) === kind.language &&
        !context.hasDirectionUnder(definition);
      if (isImplied) return ({ value }) => value;
      const languageKey = compaction.keyword("@language");
      return ({ value, language }) => ({ [languageKey]: language, [valueKey]: value });
    }
    default: {
      const hasLanguage = (context.languageUnder(definition) ?? null) !== null;
      const isBare = type === undefined && !hasLanguage && !context.hasDirectionUnder(definition);
      const isPlain = isBare || type === XSD.string;
      return isPlain ? ({ value }) => value : ({ value }) => ({ [valueKey]: value });
    }
  }
}

/** A function that writes those literals of a datatype that JSON can express as numbers or booleans. */
export function nativeWriter(
  datatype: string,
  compaction: Compaction,
  definition: TermDefinition | undefined,
): (literal: Term) => Json {
  const type = definition?.type;
  const isPlain = type === undefined || type === "@none" || type === "@id" || type === "@vocab" || type === datatype;
  if (isPlain) return ({ value }) => literalToNative(value, datatype)!;
  const valueKey = compaction.keyword("@value");
  return ({ value }) => ({ [valueKey]: literalToNative(value, datatype)! });
}

/** The JSON number for a literal that JSON-LD would write as a value object, if it is read back as the same value (specification, 2.15) or, with `isExact`, lexical form. `definition` is that of the key that makes the number a literal of the same datatype, unless it is one already. */
export function typedNumber(
  { value: lexical, datatype }: Term,
  property: string,
  compaction: Compaction,
  isExact: boolean,
) {
  const value = Number(lexical);
  if (!NUMBER_DATATYPES.has(datatype)) return undefined;
  if (!NUMERAL.test(lexical) || !Number.isFinite(value) || Object.is(value, -0)) return undefined;
  const typed = nativeToLiteral(value, datatype);
  // Every value of these two datatypes is a double.
  const isBinary = datatype === XSD.double || datatype === XSD.float;
  const decimal = isExact || isBinary ? "" : nativeToLiteral(value, XSD.decimal).value;
  // Other numerals have no exponent, and the value of the double as JSON writes the double.
  const isSame = isExact
    ? typed.value === lexical
    : isBinary || canonicalDecimal(lexical) === canonicalDecimal(decimal);
  if (!isSame) return undefined;
  const definition = { "@id": compaction.key(property), "@type": compaction.vocab(datatype) };
  return { value, definition: nativeToLiteral(value).datatype === datatype ? undefined : definition };
}

const NUMERAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
