/** The class of cost of a request: what answering it takes, for whoever limits or measures it. */

/** `status` is for those who watch the service: it has no limit. */
export type Cost = "entity" | "page" | "search" | "sparql" | "dump" | "file" | "load" | "status";
