/** The pictures of records: in the record itself, or in a Digital Object that states what it shows. */
import { classIri, propertyIri } from "../model/vocabulary/vocabulary.js";
import { classesOf, objectsOf, type RecordGraph, rootOf, valuesOf } from "../rdf/record-graph.js";
import type { FacetTally } from "./facets.js";
import { termNumber } from "./properties.js";
import type { NumberedTarget } from "./schema.js";
import type { Sqlite } from "./sqlite.js";

/** The role in `told` of a work that a Digital Object shows. It is not a relation of Linked Art. */
export const PICTURED = 255;
/** The target in that role, which needs none. */
export const TO_NOTHING = 0;

/** The properties by which records refer to their pictures, with their numbers. */
const SHOWING_TERMS = ["representation", "shows", "digitally_shows"];
export const SHOWING: readonly number[] = SHOWING_TERMS.map((term) => termNumber(term)!);

const DIGITAL_OBJECT = classIri("DigitalObject")!;
const VISUAL_ITEM = classIri("VisualItem")!;
const PICTURED_BY = ["representation", "shows"].map((term) => propertyIri(term)!);
const DIGITALLY_SHOWS = propertyIri("digitally_shows")!;
const DIGITALLY_SHOWN_BY = propertyIri("digitally_shown_by")!;
const DIGITALLY_AVAILABLE_VIA = propertyIri("digitally_available_via")!;
const FORMAT = propertyIri("format")!;
const ACCESS_POINT = propertyIri("access_point")!;

/** Matches the name of an image file. */
export const IMAGE_FILE = /\.(?:jpe?g|png|gif|webp|avif|svg)(?:[?#]|$)/i;

/** Whether a record has a picture; and the IRIs of the works of which it has one, if it is an image file or such a work itself. @param isFile whether another record is that of an image file */
export function picturesIn(graph: RecordGraph, isFile: (iri: string) => boolean) {
  if (isImageFile(graph)) return { isPictured: true, shows: valuesOf(graph, rootOf(graph), DIGITALLY_SHOWS) };
  const isPictured = filesShown(graph).some((file) => isImage(graph, file, true)) || filesNamed(graph).some(isFile);
  return { isPictured, shows: isPictured && classesOf(graph).includes(VISUAL_ITEM) ? [graph.iri] : [] };
}

/** Whether a record is that of an image file. */
export function isImageFile(graph: RecordGraph): boolean {
  return classesOf(graph).includes(DIGITAL_OBJECT) && isImage(graph, rootOf(graph), false);
}

/** The pictures that represent an entity, and those that it shows. */
export function picturesShown(graph: RecordGraph): number[] {
  return PICTURED_BY.flatMap((property) => objectsOf(graph, rootOf(graph), property));
}

/** The Digital Objects that show an entity or its pictures, as its own record says. */
export function filesShown(graph: RecordGraph): number[] {
  const visuals = [...picturesShown(graph), rootOf(graph)];
  return visuals.flatMap((visual) => objectsOf(graph, visual, DIGITALLY_SHOWN_BY));
}

/** The IRIs of those Digital Objects that the record only names, since they have records of their own. */
export function filesNamed(graph: RecordGraph): string[] {
  const files = filesShown(graph).filter((file) => objectsOf(graph, file, ACCESS_POINT).length === 0);
  const named = files.map((file) => graph.terms[file]!).filter(({ termType }) => termType === "NamedNode");
  return named.map(({ value }) => value);
}

/** The pictures of a record that are records themselves: their licences may be stated only there. */
export async function shownBy(graph: RecordGraph, graphOf: (iri: string) => Promise<RecordGraph | undefined>) {
  const shown = new Map<string, RecordGraph>();
  for (const iri of SHOWING_TERMS.flatMap((term) => valuesOf(graph, rootOf(graph), propertyIri(term)!))) {
    const picture = await graphOf(iri);
    if (picture !== undefined) shown.set(iri, picture);
  }
  return shown;
}

/** @param isShown whether something says that the file is an image, so that its format or ending need not */
function isImage(graph: RecordGraph, file: number, isShown: boolean): boolean {
  const [format] = valuesOf(graph, file, FORMAT);
  if (format !== undefined && !/^image\//i.test(format)) return false;
  const addresses = (node: number): string[] => valuesOf(graph, node, ACCESS_POINT);
  const isFound = (url: string): boolean => isShown || format !== undefined || IMAGE_FILE.test(url);
  const services = objectsOf(graph, file, DIGITALLY_AVAILABLE_VIA);
  return addresses(file).some(isFound) || services.some((service) => addresses(service).length > 0);
}

/** Record, and count in `tally`, whether other records have a picture of an entity. An entity may be given several times. @param showing entities whose own references changed; `shown` are works that a Digital Object has begun or ceased to show */
export function notePictures(tally: FacetTally, showing: Iterable<number>, shown: Iterable<number>): void {
  const { sqlite } = tally;
  const note = (id: number): void => {
    const row = sqlite.row<[string, number, number]>("SELECT targets, endpoint, picture FROM entity WHERE id = ?", id);
    if (row === undefined) return;
    const [targets, endpoint, before] = row;
    const references = JSON.parse(targets) as NumberedTarget[];
    const works = references.flatMap(([property, target]) => (SHOWING.includes(property) ? target : []));
    const isPictured = [id, ...works].some((work) => sqlite.row(IS_PICTURED, TO_NOTHING, PICTURED, work) !== undefined);
    const picture = (before & 1) | (isPictured ? 2 : 0);
    if (picture === before) return;
    sqlite.run("UPDATE entity SET picture = ? WHERE id = ?", picture, id);
    tally.add(endpoint, "picture", Math.min(before, 1), -1);
    tally.add(endpoint, "picture", Math.min(picture, 1), 1);
  };
  for (const id of showing) note(id);
  for (const work of shown) for (const id of [work, ...sqlite.rows<[number]>(REFERRING, work).flat()]) note(id);
}

/** The works that Digital Objects show, in the order of their numbers, each once. A large collection has more than a `Set` can hold. */
export function* allShown(sqlite: Sqlite): Iterable<number> {
  for (let after = -1; ; ) {
    const works = sqlite.rows<[number]>(SHOWN, TO_NOTHING, PICTURED, after).flat();
    yield* works;
    if (works.length === 0) return;
    after = works.at(-1)!;
  }
}

const SHOWN =
  "SELECT DISTINCT subject FROM told WHERE target = ? AND role = ? AND subject > ? ORDER BY subject LIMIT 10000";
const REFERRING = `SELECT entity FROM reference WHERE target = ? AND property IN (${SHOWING.join()})`;
const IS_PICTURED = "SELECT 1 FROM told WHERE target = ? AND role = ? AND subject = ?";
