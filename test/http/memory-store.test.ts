/** Everything that is tested of dereferencing, over a store that answers only by promises. */
import { serveFromMemory } from "./service.js";

serveFromMemory();
await import("./entity/dereference.test.js");
await import("./conformance.test.js");
