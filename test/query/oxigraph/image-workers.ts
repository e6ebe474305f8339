/** Single index processes with and without an index image, for records that share triples and have blank nodes. */
import { join } from "node:path";
import { IndexWorker } from "../../../src/query/oxigraph/worker.js";
import type { RecordGraph } from "../../../src/rdf/record-graph.js";
import { blank, iri, literal, RDF, RDFS_LABEL, XSD } from "../../../src/rdf/terms.js";
import { recordOf, type TestStore } from "../records.js";

export const RECORDS = 400;
/** Milliseconds, longer than any test. */
const PATIENCE = 600_000;

/** A record that shares its triples about the material with others, and has a blank node. */
export function made(number: number, version = 0): RecordGraph {
  const self = iri(`urn:record:${number}`);
  const material = iri(`urn:material:${number % 7}`);
  return recordOf(self.value, [
    [self, iri(RDF.type), iri("urn:Thing")],
    [self, iri(RDFS_LABEL), literal(`Näme ${number % 50} ${version}`, undefined, "DE")],
    [self, iri("urn:of"), material],
    [material, iri(RDFS_LABEL), literal(`material ${number % 7}`)],
    [self, iri("urn:part"), blank("p")],
    [blank("p"), iri("urn:value"), literal(`0${number}`, XSD.integer)],
  ]);
}

export const allMade = (): RecordGraph[] => Array.from({ length: RECORDS }, (_, at) => made(at));

export const imageOf = ({ directory }: TestStore): string => join(directory, "index.image");

export interface Begun {
  readonly worker: IndexWorker;
  /** The reasons why the image was not used. */
  readonly refused: readonly string[];
  /** Why the process was killed, if it was silent. */
  readonly stalled: readonly string[];
  /** Writes the image, without waiting for a moment without queries. */
  image(): ReturnType<IndexWorker["image"]>;
  /** Ends the process, and waits until it is gone. */
  end(): Promise<void>;
}

/** A process that is ready, from the image if possible, or has ended. @param imaging milliseconds for an image for which queries wait */
export async function begun(there: TestStore, fromImage: boolean, imaging = PATIENCE): Promise<Begun> {
  const refused: string[] = [];
  const stalled: string[] = [];
  const never = (): void => {};
  let isReady = never;
  let isOver = never;
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });
  const over = new Promise<void>((resolve) => {
    isOver = resolve;
  });
  const kind = { withGraphs: false, isEmpty: false, memory: 2 ** 31, leftOut: [] };
  const settings = { ...kind, directory: there.directory, image: imageOf(there), fromImage };
  const worker = new IndexWorker(
    settings,
    { following: PATIENCE, filling: PATIENCE, imaging },
    {
      ready: isReady,
      "image refused": ({ message }) => refused.push(message),
      damaged: never,
      "cannot take": never,
      "does not fit": never,
      stalled: (message) => stalled.push(message),
      ended: isOver,
    },
  );
  await Promise.race([ready, over]);
  const end = (): Promise<void> => {
    worker.end();
    return over;
  };
  return { worker, refused, stalled, image: () => worker.image(true), end };
}
