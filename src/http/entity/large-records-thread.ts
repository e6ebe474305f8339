/** The thread that writes large records: it has the store open for itself, and answers as the server would. */
import { answerTasks, withMoved } from "../../base/worker-client.js";
import { openSearched } from "../../search/open.js";
import type { WholeAnswer } from "../message/answer.js";
import type { LargeRecordSettings, LargeRecordTasks } from "./large-records.js";
import { Publication } from "./publication.js";

const CACHE_BYTES = 64 * 2 ** 20;

answerTasks<LargeRecordTasks, LargeRecordSettings>(async ({ directory, publication, navigation, endpointLinks }) => {
  const store = await openSearched({ directory, mostWaited: 0 });
  const own = { cacheBytes: CACHE_BYTES };
  const dereferencer = new Publication(publication, navigation).dereferencer(store, endpointLinks, own);
  return {
    async represent({ iri, slot, headers }) {
      return handedOver((await dereferencer.represent(iri, slot, headers)) as WholeAnswer);
    },
    close: () => store.close(),
  };
});

/** Bodies are handed over, not copied; one that is kept for the next who asks is a copy's. */
function handedOver(answer: WholeAnswer): WholeAnswer {
  if (answer.body === "" || answer.problem !== undefined) return answer;
  const bytes = new Uint8Array(Buffer.byteLength(answer.body));
  if (typeof answer.body === "string") Buffer.from(bytes.buffer).write(answer.body, "utf8");
  else bytes.set(answer.body);
  return withMoved({ ...answer, body: bytes as Buffer, isAscii: false }, bytes);
}
