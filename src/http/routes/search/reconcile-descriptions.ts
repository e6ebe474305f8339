/** One-line descriptions that tell records of one name apart: kind, makers, dates, number, place. */
import type { EndpointName } from "../../../model/tables/names.js";
import type { StoredRecord } from "../../../store/record.js";
import type { Store } from "../../../store/store.js";
import { captionOf, makersOf } from "../../pages/caption.js";
import { descriptionOf } from "../../pages/description.js";
import { labelsOf } from "../../pages/entries.js";
import { ENGLISH_WORDS, type Words } from "../../pages/words/words.js";
import { cellValues, valueWords } from "./reconcile-values.js";

/** The path of the place that tells most. */
const PLACES: Partial<Readonly<Record<EndpointName, string>>> = {
  person: "born/took_place_at",
  group: "residence",
  place: "part_of",
  event: "took_place_at",
  provenance: "took_place_at",
};

/** A record in a line: `Person: Dutch, Painter, 1632 – 1675, Delft`. */
export async function describedBy(
  store: Store,
  { graph, meta: { endpoint } }: StoredRecord,
  words: Words = ENGLISH_WORDS,
): Promise<string> {
  if (endpoint === null) return "";
  const description = descriptionOf(graph);
  const labels = await labelsOf(store, description, makersOf(description));
  const { kind, makers, date, number } = captionOf(description, words, (iri) => labels.get(iri));
  const places = cellValues(graph, PLACES[endpoint] ?? "").filter(
    (value) => !("id" in value) || value.name !== value.id,
  );
  const said = [kind, makers, date, endpoint === "object" ? number : "", ...places.slice(0, 1).map(valueWords)];
  const line = said.filter((each) => each !== "").join(", ");
  return `${words.file.endpoint[endpoint].one}${line === "" ? "" : `: ${line.slice(0, 200).toWellFormed()}`}`;
}
