/** `vitrine validate`: reads inputs as `load` does and reports what is wrong with them; nothing is stored. */
import { counted, grouped } from "../../base/counted.js";
import type { ExaminerSettings } from "../../load/pipeline/examine.js";
import type { PipelineSettings } from "../../load/pipeline/pipeline.js";
import { streamProgress } from "../../load/pipeline/progress.js";
import type { Source } from "../../load/read/sources.js";
import { iriRemarks } from "../loading/load-outcome.js";
import type { CommandDefinition, Terminal } from "../main/command.js";
import { ExitStatus } from "../main/exit-status.js";
import { baseUrlOf, givenContexts, modelOf } from "../settings/common.js";
import { argument, type Option, type Options } from "../settings/options.js";
import { REPORT_OPTIONS, rulesOf } from "../settings/record-options.js";
import { READING_SETTINGS } from "../settings/table.js";
import { inputsOf, READING_ARGUMENTS, readingOf } from "./load.js";

const TARGETS_OPTION: Option = argument("targets FILE", "write the shape for each record, for other SHACL tools");

export const validateCommand: CommandDefinition = {
  operands: "INPUT...",
  summary: "reports which records break which rules of the specification",
  examples: ["validate records.nq.gz", 'validate export/ --report report.html --severity "timespan.*=warning"'],
  options: [...READING_ARGUMENTS, ...READING_SETTINGS, ...REPORT_OPTIONS, TARGETS_OPTION],
  async run(options, terminal) {
    const { ResultsKeeper } = await import("../loading/results.js");
    const { stdout, stderr } = terminal;
    // As for `load`, a relative id cannot be resolved without a base URL.
    const baseUrl = baseUrlOf(options);
    const sources = await inputsOf(options, options.positionals, terminal);
    using results = new ResultsKeeper(options, sources, "invalid");
    let otherScheme = 0;
    const { SharedIris } = await import("../../load/pipeline/work.js");
    const iris = new SharedIris();
    await examineInputs(options, terminal, sources, {
      baseUrl,
      mending: { selection: {}, applies: false },
      namesAll: options.text("targets") !== undefined,
      onBatch(batch) {
        const { counts, found } = batch;
        iris.add(batch);
        for (const record of found) results.add(record);
        results.tell({ clean: counts.records - found.length });
        otherScheme += counts.otherScheme;
      },
    });
    results.end(options.isSet("json") ? stderr : stdout);
    if (options.isSet("json")) stdout.json(results.summary);
    const { repeated, merged, most: mostShared } = iris;
    for (const line of iriRemarks({ repeated, merged, otherScheme, baseUrl, mostShared })) stderr.line(line);
    const { records, valid, invalid, warnings } = results.summary;
    stderr.line(
      `${counted(records, "record")}: ${grouped(valid)} valid, ${grouped(invalid)} invalid; ${counted(warnings, "warning")}`,
    );
    return invalid > 0 ? ExitStatus.someInvalid : ExitStatus.done;
  },
};

type Examining = Pick<ExaminerSettings, "mending" | "baseUrl"> &
  Pick<PipelineSettings, "namesAll" | "writes" | "onBatch">;

/** Examine the records of inputs as the options say, with progress on standard error. */
export async function examineInputs(
  options: Options,
  terminal: Terminal,
  sources: readonly Source[],
  given: Examining,
) {
  const { baseUrl, mending, ...how } = given;
  const model = modelOf(options);
  const rules = await rulesOf(options, model);
  const examining = { model, contexts: [...(await givenContexts(options))], baseUrl, ...rules, mending };
  using progress = streamProgress(terminal.stderr);
  const { runPipeline } = await import("../../load/pipeline/pipeline.js");
  await runPipeline(sources, { ...how, ...readingOf(options, terminal), examining, progress });
}
