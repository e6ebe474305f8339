/** Loaders that are killed, and what is left of their publications. */
import { openEmbeddedForLoading } from "../../../src/store/embedded/embedded-store.js";
import { faultsOf, stageEdition } from "./editions.js";
import { startLoader } from "./processes.js";

/** Until when a loader is left alone, which says by lines what it has done. */
export type Moment = (line: () => Promise<string | undefined>) => Promise<unknown>;

/** Kill a loader at a moment. Throws where the store is not as it was or with the publication whole, lacks what was reported, or takes no more. */
export async function killLoader(directory: string, moment: Moment): Promise<void> {
  const loader = startLoader(directory);
  let reported = 0;
  const line = async (): Promise<string | undefined> => {
    const said = await loader.line();
    if (said?.startsWith("published") === true) reported = Number(said.split(" ")[1]);
    return said;
  };
  await moment(line);
  await loader.kill();
  while ((await line()) !== undefined);
  const store = await openEmbeddedForLoading(directory);
  try {
    const faults = await faultsOf(store);
    const edition = Number((await store.stats()).baseUrl ?? 0);
    if (edition < reported) faults.push(`edition ${edition} of ${reported} that were reported`);
    await (await stageEdition(store, edition + 1)).publish();
    faults.push(...(await faultsOf(store)));
    if (faults.length > 0) throw new Error(faults.join("; "));
  } finally {
    await store.close();
  }
}
