/** The class of cost of a request: what answering it takes, for whoever limits or measures it. */

/**
 * The classes that can be limited: whoever watches the service must not take a busy client for a dead service. `facet` is a list narrowed, in
 * another order or further on, of which links lead to any number; `table` one whole to take away; `robot` what a robot asks of any list.
 */
export const LIMITED_COSTS = ["entity", "page", "search", "facet", "table", "robot", "sparql", "dump", "file"] as const;

export type LimitedCost = (typeof LIMITED_COSTS)[number];

export type Cost = LimitedCost | "load" | "status";
