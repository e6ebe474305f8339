/** The documents of a store's records, as the options have them written. */
import { DocumentWriter, documentSettings } from "../../jsonld/documents.js";
import type { Json } from "../../rdf/record-graph.js";
import type { Store } from "../../store/store.js";
import { givenContexts, modelOf } from "./common.js";
import type { Options } from "./options.js";

/** The contexts that records may have: those of the store, and those of `--context`, which win. Throws `UsageError`. */
export async function contextsOf(
  options: Options,
  store: Pick<Store, "contexts">,
): Promise<readonly (readonly [uri: string, context: Json])[]> {
  return [...(await store.contexts()), ...(await givenContexts(options))];
}

/** What writes records of a store as documents. @param exactNumbers whether numbers keep their lexical forms. Throws `UsageError`. */
export async function documentWriterOf(
  options: Options,
  store: Pick<Store, "contexts">,
  exactNumbers = true,
): Promise<DocumentWriter> {
  return new DocumentWriter(documentSettings(modelOf(options), await contextsOf(options, store)), { exactNumbers });
}
