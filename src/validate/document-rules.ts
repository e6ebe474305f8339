/** The rules about documents. No shape can say them, for a graph has neither keys nor arrays. */
import type { NamedRule } from "../model/rules/rule.js";

export const DOCUMENT_RULES = {
  context: { name: "document.context", severity: "Violation" },
  id: { name: "document.id", severity: "Violation" },
  /** A placeholder that a program wrote into an id where it found no value. */
  idPlaceholder: { name: "document.id_placeholder", severity: "Warning" },
  // The service mends the forms below when it publishes the document, so they are warnings.
  array: { name: "document.array", severity: "Warning" },
  single: { name: "document.single", severity: "Warning" },
  serviceContext: { name: "document.service_context", severity: "Warning" },
} as const satisfies Readonly<Record<string, NamedRule>>;
