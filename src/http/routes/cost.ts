/** The class of cost of a request, by which requests are limited and measured. */

/**
 * The classes that can be limited. `status` is not among them, so that monitoring never finds the service dead because a client is busy. `facet` is a list
 * that is narrowed, reordered or continued, of which links lead to any number; `table` a whole list as a file; `robot` any list requested by a robot.
 */
export const LIMITED_COSTS = ["entity", "page", "search", "facet", "table", "robot", "sparql", "dump", "file"] as const;

export type LimitedCost = (typeof LIMITED_COSTS)[number];

export type Cost = LimitedCost | "load" | "status";
