/** The thread that writes large records: it opens the store for itself and answers as the server would. */
import { answerTasks, withMoved } from "../../base/worker-client.js";
import type { EndpointName } from "../../model/tables/names.js";
import { openSearched } from "../../search/open.js";
import type { WholeAnswer } from "../message/answer.js";
import type { Link } from "../message/headers/link.js";
import type { NavigationLink } from "../pages/site.js";
import type { LargeRecordTasks } from "./large-records.js";
import { Publication, type PublicationSettings } from "./publication.js";

/** The thread's settings for opening the store and writing: those of the server that can be passed to a thread. */
export interface LargeRecordSettings {
  readonly directory: string;
  readonly publication: PublicationSettings;
  readonly navigation: readonly NavigationLink[];
  readonly endpointLinks: ReadonlyMap<EndpointName, readonly Link[]>;
}

/** How many bytes of answers the thread keeps at most, in addition to the server's cache. */
const MAX_CACHE = 64 * 2 ** 20;

answerTasks<LargeRecordTasks, LargeRecordSettings>(async ({ directory, publication, navigation, endpointLinks }) => {
  const store = await openSearched({ directory, mostWaited: 0 });
  const own = { cacheBytes: Math.min(publication.cacheBytes ?? MAX_CACHE, MAX_CACHE) };
  const dereferencer = new Publication(publication, navigation).dereferencer(store, endpointLinks, own);
  return {
    async represent({ iri, slot, headers }) {
      return movingBody((await dereferencer.represent(iri, slot, { headers })) as WholeAnswer);
    },
    close: () => store.close(),
  };
});

/** Moves a copy of an answer's body to the server's thread; the cache keeps the original. */
function movingBody(answer: WholeAnswer): WholeAnswer {
  if (answer.body === "" || answer.problem !== undefined) return answer;
  const bytes = new Uint8Array(Buffer.byteLength(answer.body));
  if (typeof answer.body === "string") Buffer.from(bytes.buffer).write(answer.body, "utf8");
  else bytes.set(answer.body);
  return withMoved({ ...answer, body: bytes as Buffer, isAscii: false }, bytes);
}
