/** The thread that writes large records: it has the store open for itself, and answers as the server would. */
import { answerTasks, withMoved } from "../base/worker-client.js";
import { documentSettings } from "../jsonld/document-settings.js";
import { DocumentWriter } from "../jsonld/documents.js";
import { openStore } from "../store/open.js";
import type { WholeAnswer } from "./answer.js";
import { Addresses } from "./entity/addresses.js";
import { representations } from "./entity/representations.js";
import type { LargeRecordSettings, LargeRecordTasks } from "./large-records.js";
import { Site } from "./pages/site.js";
import { dereferencerOf } from "./publication.js";

/** What is asked for again is kept, in so many bytes. */
const CACHE_BYTES = 64 * 2 ** 20;

answerTasks<LargeRecordTasks, LargeRecordSettings>(async (settings) => {
  const { directory, contexts, model, baseUrl, otherBaseUrls } = settings;
  const store = await openStore({ directory });
  const addresses = new Addresses(baseUrl, ...otherBaseUrls);
  const site = new Site(addresses.base, settings.site, settings.navigation);
  const documents = new DocumentWriter(documentSettings(model, contexts));
  const offered = representations({ model, documents, site });
  const { cacheControl = "no-cache", edition, hal } = settings;
  const options = { store, model, baseUrl, otherBaseUrls, edition, hal, cacheControl, cacheBytes: CACHE_BYTES };
  const dereferencer = dereferencerOf(options, offered, addresses, settings.endpointLinks);
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
