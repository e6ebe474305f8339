/** The contract of query engines, tested with Virtuoso: kept in step, and run by the service. */
import { describe } from "vitest";
import { holdToContract, kept } from "./contract.js";
import { managed } from "./managed/managed.js";
import { HAS_VIRTUOSO, startVirtuoso, type Virtuoso } from "./remote/virtuoso.js";

let virtuoso: Virtuoso;

describe.skipIf(!HAS_VIRTUOSO)("Virtuoso (skipped: it is not installed)", () => {
  holdToContract(
    [
      ["kept in step", { open: (service) => kept(virtuoso.addresses, service) }],
      ["run by the service", { open: ({ there }) => managed(there), hasGraphs: true, isOwn: true }],
    ],
    async () => {
      virtuoso = await startVirtuoso();
    },
    () => virtuoso.stop(),
  );
});
