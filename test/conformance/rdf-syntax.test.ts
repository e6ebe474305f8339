import { describe, expect, it } from "vitest";
import { rdfManifests, runSyntaxTest, testsOf } from "./rdf-syntax.js";

const manifests = rdfManifests();

describe.skipIf(manifests.length === 0)(
  "the W3C RDF 1.1 syntax suites (skipped: none under ../shared/w3c, and RDF_SUITES names no folder)",
  () => {
    describe.each(manifests)("%s", (manifest) => {
      it.each(testsOf(manifest))("$kind $name", async (test) => {
        expect(await runSyntaxTest(test)).toBeUndefined();
      });
    });
  },
);
