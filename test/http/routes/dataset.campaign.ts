/** The description of the dataset, validated with the shapes of the Dutch dataset register. They need SPARQL, which shacl-engine has. */
import { existsSync, readFileSync } from "node:fs";
import factory from "@rdfjs/data-model";
import { Parser, Store } from "n3";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../temporary-folder.js";
import { shaclEngine } from "../../validate/second-engine.js";
import { startDescribed } from "./described-dataset.js";

const SHAPES = "../shared/nde/dataset-requirements.shacl.ttl";

const engine = existsSync(SHAPES) ? await shaclEngine() : undefined;
const dumps = temporaryFolder();

it.skipIf(engine === undefined)(
  "the description is valid for the Dutch dataset register (skipped: there is no ../shared/nde, or npm does not install shacl-engine)",
  async () => {
    const { Validator, validations } = engine!;
    const shapes = new Store(new Parser().parse(readFileSync(SHAPES, "utf8")));
    const service = await startDescribed(dumps);
    const dataset = new Store(new Parser().parse(await (await fetch(`${service.origin}/.well-known/void`)).text()));
    await service.stop();
    const report = await new Validator(shapes, { factory, validations }).validate({ dataset });
    const found = report.results.map(({ severity, path, focusNode, message }) => ({
      severity: severity.value.split("#")[1],
      path: path?.map(({ predicates }) => predicates[0]?.value).join(),
      focus: focusNode.term.value,
      message: message.map(({ value }) => value).at(-1),
    }));
    expect(found.filter(({ severity }) => severity === "Violation")).toEqual([]);
    // The remaining results are about https, which this test's service does not have.
    const warnings = found.filter(
      ({ severity, message = "" }) => severity === "Warning" && !/HTTPS|https/.test(message),
    );
    expect(warnings).toEqual([]);
  },
);
