/** The class of cost of a request: what answering it takes, for whoever limits or measures it. */

/**
 * `facet` is a list narrowed, in another order or further on, of which links lead to any number; `table` one whole to take away; `robot`
 * what a robot asks of any list. `status` is for those who watch the service: it has no limit.
 */
export type Cost =
  | "entity"
  | "page"
  | "search"
  | "facet"
  | "table"
  | "robot"
  | "sparql"
  | "dump"
  | "file"
  | "load"
  | "status";
