/** What tells records of one name apart, in a line: kind, nationality, occupation, life dates; maker, date and number. */
import type { EndpointName } from "../../../model/tables/endpoints.js";
import type { RecordGraph } from "../../../rdf/record-graph.js";
import type { StoredRecord } from "../../../store/store.js";
import { descriptionOf } from "../../pages/description.js";
import { ENDPOINT_WORDS } from "../../pages/labels.js";
import { spanOf } from "./reconcile-scores.js";
import { cellValues, nodesAlong, spanWords, valueWords } from "./reconcile-values.js";

/** Stands for the years of a life among the paths. */
const LIFE = "life";
const MADE = ["classified_as", "produced_by/carried_out_by", "produced_by/timespan", "identified_by/Identifier"];
const WORK = ["classified_as", "created_by/carried_out_by", "created_by/timespan"];
const HAPPENED = ["classified_as", "timespan", "took_place_at"];

/** Paths of which a record's first value is said. */
const SAID: Readonly<Record<EndpointName, readonly string[]>> = {
  object: MADE,
  digital: WORK,
  visual: WORK,
  text: WORK,
  abstract: WORK,
  person: ["classified_as/300379842", "classified_as/300263369", LIFE, "born/took_place_at"],
  group: ["classified_as", LIFE, "residence"],
  place: ["classified_as", "part_of"],
  event: HAPPENED,
  provenance: HAPPENED,
  set: ["classified_as", "created_by/timespan"],
  concept: ["classified_as", "broader"],
};

/** A record in a line: `Person: Dutch, Painter, 1632–1675, Delft`. */
export function describedBy({ graph, meta: { endpoint } }: StoredRecord): string {
  if (endpoint === null) return "";
  const said = SAID[endpoint].map((path) => {
    if (path === LIFE) return lifeOf(graph);
    const [first] = cellValues(graph, path, { limit: 1 });
    return first === undefined ? "" : valueWords(first).slice(0, 80).toWellFormed();
  });
  const line = [...new Set(said)].filter((each) => each !== "").join(", ");
  return `${ENDPOINT_WORDS[endpoint].one}${line === "" ? "" : `: ${line}`}`;
}

/** From when to when somebody lived, or a group was: in years, or as the record words what is less exact. */
function lifeOf(graph: RecordGraph): string {
  const description = descriptionOf(graph);
  const [begin, end] = [
    ["born/timespan", "formed_by/timespan"],
    ["died/timespan", "dissolved_by/timespan"],
  ].map((paths) => {
    const [node] = paths.flatMap((path) => nodesAlong(graph, path));
    if (node === undefined) return "";
    const years = spanOf(description, node);
    return years?.first === years?.last && (years?.first ?? 0) > 0
      ? String(years!.first)
      : spanWords(description, node);
  });
  return begin || end ? `${begin || "?"}–${end ?? ""}` : "";
}
