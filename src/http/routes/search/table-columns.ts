/** The columns of tables of records, and their cells as text. By default, a table has the columns that suit the kind of record. */
import { BYTE_ORDER_MARK, csvRow } from "../../../base/csv.js";
import type { EndpointName } from "../../../model/tables/names.js";
import type { StoredRecord } from "../../../store/record.js";
import { malformed } from "../../message/problems/problems.js";
import { descriptionOf } from "../../pages/description.js";
import { gatherShown } from "../../pages/gather.js";
import { picturesOf, withPictures } from "../../pages/pictures.js";
import type { RenderContext } from "../../representations/representation.js";
import { cellValues, columnNamed, columnProblem, columnsOf, valueWords, withLabels } from "./reconcile-values.js";

const OTHERS = new Map(Object.entries({ id: "Address", endpoint: "Kind of record", picture: "Picture" }));
/** The end of a path that gives IRIs instead of names. */
const OF_ADDRESSES = /\/id$/;

/** The default columns; a table has those that apply to its endpoint. */
const CHOSEN =
  "_label identified_by/Identifier produced_by/carried_out_by produced_by/timespan created_by/carried_out_by \
created_by/timespan born/timespan born/took_place_at died/timespan died/took_place_at formed_by/timespan \
dissolved_by/timespan timespan carried_out_by took_place_at part/transferred_title_of part/transferred_title_from \
part/transferred_title_to classified_as/300263369 classified_as/300379842 classified_as made_of dimension \
produced_by/took_place_at language current_owner current_custodian current_location broader part_of member_of about \
defined_by represents format access_point/id equivalent/id".split(" ");
const PICTURED: readonly EndpointName[] = ["object", "person", "group", "place", "event", "set", "visual", "digital"];
const MIXED =
  "_label endpoint identified_by/Identifier classified_as produced_by/carried_out_by produced_by/timespan \
born/timespan died/timespan timespan";

const MAX_COLUMNS = 100;
const BETWEEN = " | ";

type Around = Pick<RenderContext, "store" | "addresses">;

function tableColumns(wanted: string | undefined, endpoint: EndpointName | undefined) {
  const named = (wanted ?? "").split(",").flatMap((id) => id.trim() || []);
  const ids = named.length === 0 ? chosenFor(endpoint) : named;
  if (ids.length > MAX_COLUMNS) throw malformed(`A table may have up to ${MAX_COLUMNS} columns, not ${ids.length}.`);
  return ids.map((id) => {
    if (OTHERS.has(id)) return { id, name: OTHERS.get(id)! };
    const path = id.replace(OF_ADDRESSES, "");
    const problem = columnProblem(path, path === id ? [...OTHERS.keys()] : []);
    if (problem !== undefined) throw malformed(problem);
    const { name } = columnNamed(path, endpoint);
    return { id, name: path === id ? name : `${name} (address)` };
  });
}

function chosenFor(endpoint: EndpointName | undefined): readonly string[] {
  if (endpoint === undefined) return [...MIXED.split(" "), "id"];
  const columns = columnsOf(endpoint).map(({ id }) => id);
  const chosen = CHOSEN.filter((id) => columns.includes(id.replace(OF_ADDRESSES, "")));
  return [...chosen, ...(PICTURED.includes(endpoint) ? ["picture"] : []), "id"];
}

/** Writes CSV with the `wanted` columns, paths separated by commas; by default those that suit the endpoint. Throws `ProblemError`. */
export function csvWriter(wanted: string | undefined, endpoint: EndpointName | undefined, around: Around) {
  const columns = tableColumns(wanted, endpoint);
  return {
    head: BYTE_ORDER_MARK + csvRow(columns.map(({ name }) => name)),
    write: async (record: StoredRecord) => {
      const { endpoint: kind, label } = record.meta;
      const picture = columns.some(({ id }) => id === "picture") ? await pictureOf(record, around) : "";
      const own = new Map(Object.entries({ id: record.graph.iri, endpoint: kind ?? "", _label: label, picture }));
      const cells = await withLabels(around.store, (labelOf) =>
        columns.map(({ id }) => own.get(id) ?? cellWords(record, id, labelOf)),
      );
      return csvRow(cells);
    },
  };
}

/** The text of a cell. Its settings are written out, since to spread an object for each cell takes a fifth of a table's time. */
function cellWords({ graph }: StoredRecord, id: string, labelOf: (iri: string) => string | undefined) {
  const path = id.replace(OF_ADDRESSES, "");
  const words = cellValues(graph, path, { content: path === id ? "name" : "id", labelOf }).map(valueWords);
  return [...new Set(words)].join(BETWEEN);
}

/** The URL of the first picture of a record, or else of the first among the records that it refers to. */
async function pictureOf(record: StoredRecord, around: Around): Promise<string> {
  const own = picturesOf(descriptionOf(record.graph));
  if (own.images[0] !== undefined) return own.images[0].whole;
  const { pictured } = await gatherShown(record, around);
  return withPictures(own, pictured).images[0]?.whole ?? "";
}
