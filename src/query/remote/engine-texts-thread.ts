/** The thread that reads queries for engines and converts their results. */
import { answerTasks, withMoved } from "../../base/worker-client.js";
import { readQuery } from "../query-text.js";
import { convertedAnswer } from "./engine-results.js";
import type { EngineTextTasks } from "./engine-texts.js";

answerTasks<EngineTextTasks, undefined>(async () => ({
  read: readQuery,
  convert(answer) {
    const bytes = convertedAnswer(answer);
    return withMoved(bytes, bytes);
  },
}));
