/** Loaders that are killed, and the state of the store that they leave. */
import { openEmbeddedForLoading } from "../../../src/store/embedded/embedded-store.js";
import { faultsOf, stageEdition } from "./editions.js";
import { startLoader } from "./processes.js";

/** Resolves at the moment to kill a loader, which writes a line for each thing that it has done. */
export type Moment = (line: () => Promise<string | undefined>) => Promise<unknown>;

/** Kill a loader at a moment. Throws if the store has part of a publication, lacks a reported one, or cannot be loaded into. */
export async function killLoader(directory: string, moment: Moment): Promise<void> {
  const loader = startLoader(directory);
  let reported = 0;
  const line = async (): Promise<string | undefined> => {
    const next = await loader.line();
    if (next?.startsWith("published") === true) reported = Number(next.split(" ")[1]);
    return next;
  };
  await moment(line);
  await loader.kill();
  while ((await line()) !== undefined);
  await using store = await openEmbeddedForLoading(directory);
  const faults = await faultsOf(store);
  const edition = Number((await store.stats()).baseUrl ?? 0);
  if (edition < reported) faults.push(`edition ${edition} of ${reported} that were reported`);
  await (await stageEdition(store, edition + 1)).publish();
  faults.push(...(await faultsOf(store)));
  if (faults.length > 0) throw new Error(faults.join("; "));
}
