/** Blank nodes as engines hold them that were filled from here: IRIs of their own (RDF 1.1 Concepts, 3.5). */
import { createHash } from "node:crypto";

/** What the IRIs begin with that stand for blank nodes. */
export const BLANK = "urn:vitrine:blank:";

/** What begins the IRIs of a record's blank nodes: of its IRI, so that they are the same in every store that has it. */
export function blankPrefix(record: string): string {
  return `${BLANK}${createHash("sha256").update(record).digest("hex").slice(0, 32)}-`;
}
