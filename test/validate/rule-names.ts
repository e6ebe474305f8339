/** The names of rules, by the shapes that SHACL engines say are broken. */
import { SH, SHAPES } from "../../src/model/rules/shapes.js";

/** The name of the rule whose constraint of this component broke at a shape. */
export function ruleNameOf(shape: string, component: string): string {
  const name = shape.slice(SHAPES.length);
  return component === `${SH}ClosedConstraintComponent` ? `${name}.closed` : name;
}
