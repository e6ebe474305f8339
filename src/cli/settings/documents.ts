/** The documents of a store's records, written as the options say. */
import { DocumentWriter, documentSettings } from "../../jsonld/documents.js";
import type { Store } from "../../store/store.js";
import { givenContexts, modelOf } from "./common.js";
import type { Options } from "./options.js";

/** The contexts that records may have: the store's, and those of `--context`, which take precedence. Throws `UsageError`. */
export async function contextsOf(options: Options, store: Pick<Store, "contexts">) {
  return [...(await store.contexts()), ...(await givenContexts(options))];
}

/** A writer for the documents of a store's records. @param exactNumbers whether numbers keep their lexical forms. Throws `UsageError`. */
export async function documentWriterOf(options: Options, store: Pick<Store, "contexts">, exactNumbers = true) {
  return new DocumentWriter(documentSettings(modelOf(options), await contextsOf(options, store)), { exactNumbers });
}
