/** `vitrine token`: makes, lists and revokes the tokens for loading into a store over HTTP. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { replaceFileNow } from "../../base/whole-file.js";
import { digest, POWERS, type Power, readTokens, type StoredToken, TOKENS_FILE } from "../../http/loads/tokens.js";
import { ensureStore, lockFolder } from "../../store/open.js";
import { onceUnlocked } from "../loading/remote-load-guard.js";
import type { CommandDefinition } from "../main/command.js";
import { argument, type Options, UsageError } from "../settings/options.js";

export const tokenCommand: CommandDefinition = {
  operands: "new | list | revoke NAME",
  summary: "makes, lists and revokes tokens for loading over HTTP and for seeing held records",
  notes: [
    "A token is shown once, when it is made; the store keeps its hash. Restart serve after making the first one.",
    "--may load allows loads, delete allows deleting single records and, with load, --sync; read shows held records.",
  ],
  examples: ["token new --name collection --may load,delete --source objects", "token list", "token revoke collection"],
  options: [
    argument("name NAME", "the name of the new token; by default token-1 and so on"),
    argument("may WHAT", `what it allows, separated by commas: ${POWERS.join(", ")}`, { default: "load" }),
    argument("source NAME...", "the feed that it is for; without it, all"),
  ],
  changesStore: ({ positionals: [what] }) => what !== "list",
  async run(options, { stdout, stderr, interrupted }) {
    const directory = options.required("store");
    // Check that the store exists, since a token without one would be useless.
    await ensureStore({ directory });
    const [what, name] = options.positionals;
    await using _ =
      what === "list" ? undefined : await onceUnlocked(() => lockFolder(join(directory, "tokens")), interrupted);
    const tokens = readTokens(directory);
    if (what === "new" && name === undefined) {
      const { token, kept } = newToken(options, tokens);
      writeTokens(directory, [...tokens, kept]);
      stdout.write(options.isSet("json") ? `${JSON.stringify({ ...kept, token })}\n` : `${token}\n`);
      stderr.line(`the token ${kept.name} is shown only now: save it in a file for its user (--token @FILE)`);
    } else if (what === "list" && name === undefined) {
      const shown = tokens.map(({ hash: _, ...token }) => token);
      stdout.write(options.isSet("json") ? `${JSON.stringify(shown)}\n` : shown.map(lineOf).join(""));
    } else if (what === "revoke" && name !== undefined) {
      const left = tokens.filter((token) => token.name !== name);
      if (left.length === tokens.length)
        throw new UsageError(`there is no token ${name}: vitrine token list shows all`);
      writeTokens(directory, left);
    } else throw new UsageError("token takes new (--name NAME gives it a name), list, or revoke NAME");
  },
};

function lineOf({ name, may, sources, created }: Omit<StoredToken, "hash">): string {
  return `${name}  may ${may.join(", ")}  ${sources === undefined ? "any source" : `source ${sources.join(", ")}`}  made ${created}\n`;
}

function newToken(options: Options, tokens: readonly StoredToken[]): { token: string; kept: StoredToken } {
  const names = new Set(tokens.map((token) => token.name));
  let number = tokens.length + 1;
  while (names.has(`token-${number}`)) number++;
  const name = options.text("name") ?? `token-${number}`;
  if (names.has(name)) throw new UsageError(`there is a token ${name} already: revoke it, or choose another --name`);
  const may = Array.from(options.required("may").split(","), (word) => word.trim());
  const unknown = may.filter((word) => !POWERS.some((power) => power === word));
  if (unknown.length > 0) throw new UsageError(`--may ${unknown.join(", ")}: choose from ${POWERS.join(", ")}`);
  const sources = options.all("source");
  const token = `vitrine_${randomBytes(32).toString("base64url")}`;
  const kept = {
    name,
    hash: digest(token).toString("hex"),
    may: may as Power[],
    ...(sources.length === 0 ? {} : { sources }),
    created: new Date().toISOString(),
  };
  return { token, kept };
}

/** Write the tokens atomically, in a file that only its owner can read. */
function writeTokens(directory: string, tokens: readonly StoredToken[]): void {
  replaceFileNow(join(directory, TOKENS_FILE), `${JSON.stringify(tokens, null, 2)}\n`, 0o600);
}
