/** npm packages that only campaigns need: npm installs each on its first use, and they are kept until the next `npm ci`. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

/** The packages to install, by their purpose. */
const PACKAGES = {
  comunica: ["@comunica/query-sparql@4.5.0"],
  "ldes-client": ["ldes-client@0.3.0"],
  // Lighthouse 13 needs Node 22 or newer.
  lighthouse: ["lighthouse@13.5.0", "node@24"],
  linkinator: ["linkinator@7.6.1"],
  puppeteer: ["puppeteer-core@24.43.1"],
  "shacl-engine": ["shacl-engine@1.1.2"],
  stryker: ["@stryker-mutator/core@9.6.1", "@stryker-mutator/vitest-runner@9.6.1"],
} as const;

/** The folder of the packages, inside `node_modules`, so that they find the checkout's packages: Stryker runs the checkout's Vitest. */
const FOLDER = resolve("node_modules/.campaigns");

/** The `node_modules` folder of a package with its dependencies; `undefined`, with a message, if npm cannot install it. */
export async function installed(name: keyof typeof PACKAGES): Promise<string | undefined> {
  const folder = join(FOLDER, PACKAGES[name].join("+").replaceAll("/", "-"));
  const modules = join(folder, "node_modules");
  if (existsSync(modules)) return modules;
  await mkdir(FOLDER, { recursive: true });
  const begun = await mkdtemp(join(FOLDER, "begun-"));
  try {
    // Packages of the checkout are not installed again.
    const settings = ["--no-audit", "--no-fund", "--legacy-peer-deps", "--prefix", begun];
    await promisify(execFile)("npm", ["install", ...settings, ...PACKAGES[name]], { timeout: 300_000 });
    await rename(begun, folder);
  } catch (error) {
    await rm(begun, { recursive: true, force: true });
    // Another campaign has installed it meanwhile.
    if (existsSync(modules)) return modules;
    console.log(`${name}: skipped, since npm cannot install it: ${(error as Error).message.slice(0, 300)}`);
    return undefined;
  }
  return modules;
}
