/** The class of cost of a request: what answering it takes, for whoever limits or measures it. */

/** `table` is a whole list to take away. `status` is for those who watch the service: it has no limit. */
export type Cost = "entity" | "page" | "search" | "table" | "sparql" | "dump" | "file" | "load" | "status";
