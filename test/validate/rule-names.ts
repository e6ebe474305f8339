/** The names of rules for the shapes in the results of SHACL engines. */
import { SH, SHAPES } from "../../src/model/rules/shapes.js";

/** The name of the rule for a shape and the constraint component that was broken. */
export function ruleNameOf(shape: string, component: string): string {
  const name = shape.slice(SHAPES.length);
  return component === `${SH}ClosedConstraintComponent` ? `${name}.closed` : name;
}
