/** The contract of query engines, tested with the processes of this machine, another process's endpoint, and small engines. */
import { openEngine } from "../../src/query/open.js";
import { holdToContract, kept } from "./contract.js";
import { InProcessIndex } from "./in-process-index.js";
import { type OxigraphEngine, startOxigraphEngine } from "./remote/oxigraph-engine.js";

let small: OxigraphEngine;

holdToContract(
  [
    ["the processes of this machine", { open: ({ index }) => index, hasGraphs: true }],
    [
      "another process's endpoint",
      { open: ({ url }) => openEngine({ kind: "endpoint", url }), hasGraphs: true, isOwn: true },
    ],
    ["the index of the tests", { open: ({ there }) => new InProcessIndex(there.store), hasGraphs: true, isHere: true }],
    ["a small engine that is kept in step", { open: (service) => kept(small.addresses, service), isHere: true }],
  ],
  async () => {
    small = await startOxigraphEngine();
  },
  () => small.stop(),
);
