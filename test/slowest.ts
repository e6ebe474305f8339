/** A reporter that prints the ten slowest tests at the end of a run. */
import type { Reporter, TestModule } from "vitest/node";

const MOST = 10;

export default class Slowest implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => ({
        milliseconds: test.diagnostic()?.duration ?? 0,
        name: `${module.relativeModuleId}: ${test.fullName}`,
      })),
    );
    if (tests.length <= MOST) return;
    const slowest = tests.sort((a, b) => b.milliseconds - a.milliseconds).slice(0, MOST);
    console.log("\nThe slowest tests:");
    for (const { milliseconds, name } of slowest)
      console.log(`${(milliseconds / 1_000).toFixed(1).padStart(6)} s  ${name}`);
  }
}
