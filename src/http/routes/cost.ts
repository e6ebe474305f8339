/** The class of cost of a request, by which requests are limited and measured. */

/** The classes that can be limited. `status` cannot: monitoring must not find the service dead because a client is busy. `facet` is a list that is narrowed, reordered or continued, as links do without end; `table` a whole list as a file; `robot` any list that a robot requests. */
export const LIMITED_COSTS = ["entity", "page", "search", "facet", "table", "robot", "sparql", "dump", "file"] as const;

export type LimitedCost = (typeof LIMITED_COSTS)[number];

export type Cost = LimitedCost | "load" | "status";
