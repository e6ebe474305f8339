/** The thread that writes large records: it has the store open for itself, and answers as the server would. */
import { answerTasks, withMoved } from "../../base/worker-client.js";
import type { EndpointName } from "../../model/tables/names.js";
import { openSearched } from "../../search/open.js";
import type { WholeAnswer } from "../message/answer.js";
import type { Link } from "../message/headers/link.js";
import type { NavigationLink } from "../pages/site.js";
import type { LargeRecordTasks } from "./large-records.js";
import { Publication, type PublicationSettings } from "./publication.js";

/** The settings by which the thread opens the store and writes: those of the server, as far as they can be handed on. */
export interface LargeRecordSettings {
  readonly directory: string;
  readonly publication: PublicationSettings;
  readonly navigation: readonly NavigationLink[];
  readonly endpointLinks: ReadonlyMap<EndpointName, readonly Link[]>;
}

answerTasks<LargeRecordTasks, LargeRecordSettings>(async ({ directory, publication, navigation, endpointLinks }) => {
  const store = await openSearched({ directory, mostWaited: 0 });
  const own = { cacheBytes: 64 * 2 ** 20 };
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
