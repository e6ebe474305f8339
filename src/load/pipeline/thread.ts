/** A thread of the pool: turns pieces of the input into batches of records. */
import { answerTasks } from "../../base/worker-client.js";
import type { PoolTasks } from "./pool.js";
import { Work, type WorkSettings } from "./work.js";

answerTasks<PoolTasks, WorkSettings>((settings) => Work.make(settings));
