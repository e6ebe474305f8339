/** Settings for reading and writing documents: the data model's context, the field tables' layout, further contexts. */
import { fieldForm, fieldOrder, isNumberProperty, standsAlone } from "../model/layout.js";
import type { ModelSettings } from "../model/settings.js";
import { contextDocument } from "../model/vocabulary/context.js";
import type { Json } from "../rdf/record-graph.js";
import { ContextRegistry } from "./contexts.js";
import type { DocumentSettings } from "./documents.js";

/** The settings with the model's own context and these, by URI; relative ids are resolved against `baseUrl`. `DocumentReader` has an example. */
export function documentSettings(
  model: ModelSettings,
  contexts: Iterable<readonly [string, Json]>,
  baseUrl?: string,
): DocumentSettings {
  const registry = new ContextRegistry();
  registry.add(model.contextUri, contextDocument());
  for (const [uri, context] of contexts) registry.add(uri, context);
  return {
    model,
    contexts: registry,
    layout: { order: fieldOrder, form: fieldForm, isNumber: isNumberProperty, standsAlone },
    baseUrl,
  };
}
