/** The kinds of pages, with an address in the sample for each. */

/** A page of each kind: the service's own pages, and for each endpoint the record with the most to show. */
export const KINDS: readonly string[] = [
  "/",
  "/browse/object",
  "/search/all?text=rembrandt&view=grid",
  "/search/all?text=rembrandt&view=table",
  "/search/all?text=zzzqqq",
  "/related/objectProducedByAgent?uri=BASE/person/rembrandt",
  "/no/such/record",
  "/problems",
  "/openapi.html",
  "/sparql",
  "/object/night-watch",
  "/visual/great-wave",
  "/text/divine-comedy",
  "/abstract/decree-of-memphis",
  "/digital/night-watch-717-gigapixel",
  "/person/rembrandt",
  "/group/mauritshuis",
  "/place/netherlands",
  "/event/operation-night-watch",
  "/provenance/girl-1881-des-tombe",
  "/set/mauritshuis-collection",
  "/concept/vellum",
  "/object/hostile",
];
