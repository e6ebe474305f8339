/** The thread in which a service searches. */
import { answerTasks } from "../base/worker-client.js";
import { IndexDatabase, type SearchTasks } from "./index-database.js";

answerTasks<SearchTasks, string>(async (path) => new IndexDatabase(path));
