/** Static addresses: where the pages and documents of a service lie as files, and what its addresses become where no service reads their queries. */
import { createHash } from "node:crypto";
import { toUri, unescaped } from "../../http/entity/iri-equivalents.js";

/** The longest name of a file that file systems take, in bytes. */
const MAX_NAME = 255;

/** The change log in its two forms, and pages of it. */
const STREAM = /^\/(?:activity|ldes)(?:\/page\/\d+)?$/;

export class StaticAddresses {
  readonly #path: string;
  readonly #inText: RegExp;

  /** @param base `{base_url}` without a final slash @param suffixes of representations */
  constructor(
    readonly base: string,
    private readonly suffixes: readonly string[],
  ) {
    this.#path = base.replace(/^https?:\/\/[^/]*/i, "");
    const start = toUri(base).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    this.#inText = new RegExp(`${start}/(?:entity\\?uri=|(?:activity|ldes)(?=["/>]))[^"<>\\s]*`, "g");
  }

  /** The address of what a service answers at an address of its own; others stay as they are. */
  of(address: string): string {
    const start = [this.base, this.#path].find((each) => address.startsWith(`${each}/`));
    if (start === undefined) return address;
    const [target = "", ...fragment] = address.slice(start.length).split("#");
    return [start + this.#static(target), ...fragment].join("#");
  }

  /** A text of the service, with its addresses as files have them. */
  rewritten(text: string, isHtml: boolean): string {
    if (!isHtml) return text.replace(this.#inText, (address) => this.of(address));
    return text.replace(/\b(href|src)="([^"]*)"/g, (_, name, value) => {
      const address = this.of(String(value).replaceAll("&amp;", "&"));
      return `${name}="${address.replaceAll("&", "&amp;")}"`;
    });
  }

  /** Where the record of an address lies, without a suffix: relative to the folder of the site. `undefined` where no file can be called so. */
  placeOf(url: string): string | undefined {
    return this.fileOf(this.of(url).slice(this.base.length).replace(/\/$/, ""));
  }

  /** The file of a path from the service's root; of one that ends in a slash the index in it. */
  fileOf(path: string): string | undefined {
    const names = path.slice(1).split("/");
    if (names.at(-1) === "") names[names.length - 1] = "index.html";
    const decoded = names.map(decodedName);
    return decoded.includes(undefined) ? undefined : decoded.join("/");
  }

  #static(target: string): string {
    const at = target.indexOf("?");
    if (at === -1) return STREAM.test(target) ? target + (target.startsWith("/ldes") ? ".ttl" : ".json") : target;
    const [path, query] = [target.slice(0, at), new URLSearchParams(target.slice(at + 1))];
    if (path === "/referring") {
      const asked = ["uri", "property", "after"].map((name) => query.get(name));
      return `/referring/${nameOf(JSON.stringify(asked))}/`;
    }
    if (path.startsWith("/browse/")) return `${path}/${nameOf(query.get("after") ?? "")}/`;
    // Of a record that lies elsewhere, or whose own IRI has a query.
    const uri = path === "/entity" ? /^uri=([^&]*)/.exec(target.slice(at + 1))?.[1] : undefined;
    const iri = uri === undefined ? this.base + target : unescaped(uri);
    const suffix = this.suffixes.find((each) => iri.endsWith(each)) ?? "";
    return `/entity/${nameOf(iri.slice(0, iri.length - suffix.length))}${suffix || "/"}`;
  }
}

/** A name of its own for what has none that a file could be called by. */
function nameOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 20);
}

function decodedName(encoded: string): string | undefined {
  const name = unescaped(encoded);
  // A server would read such a name as something else.
  const isPossible = name !== "" && name !== "." && name !== ".." && !/[/\\\0]/.test(name);
  return isPossible && Buffer.byteLength(name) <= MAX_NAME ? name : undefined;
}
