/** The one table of engines that a service can run itself: what differs between them. */
import type { ManagedKind } from "./managed-kind.js";
import { VIRTUOSO } from "./virtuoso.js";

export const MANAGED_ENGINES = { virtuoso: VIRTUOSO } as const satisfies Readonly<Record<string, ManagedKind>>;

/** Advice where an index is too small, or too slow: the one command, and the one option. */
export const ENGINE_ADVICE = `apt-get install ${VIRTUOSO.package}, then vitrine serve --engine virtuoso (docs/run/engines.md)`;

export type ManagedName = keyof typeof MANAGED_ENGINES;
