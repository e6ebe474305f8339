/** Words that somebody says bit by bit, and who waits for some of them. */
import type { Readable } from "node:stream";

export interface Words {
  /** All that was said so far. */
  text(): string;
  /** Resolves when something was said that this matches. Rejects when the end comes before. */
  told(message: RegExp): Promise<RegExpExecArray>;
  /** Resolves when nothing more will be said. */
  readonly ended: Promise<void>;
}

/** Listen to a stream until it is closed. */
export function listenTo(stream: Readable): Words {
  let text = "";
  let isOver = false;
  const waiting = new Set<() => void>();
  const look = (): void => {
    for (const each of waiting) each();
  };
  stream.on("data", (chunk: Buffer | string) => {
    text += chunk.toString();
    look();
  });
  const ended = new Promise<void>((resolve) => {
    stream.once("close", () => {
      isOver = true;
      look();
      resolve();
    });
  });
  const told = (message: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = message.exec(text);
        if (match === null && !isOver) return;
        waiting.delete(look);
        if (match !== null) resolve(match);
        else reject(new Error(`ended without ${message}: ${text}`));
      };
      waiting.add(look);
      look();
    });
  return { text: () => text, told, ended };
}
