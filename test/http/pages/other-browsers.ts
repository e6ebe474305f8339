/** Firefox and WebKit, the engine of Safari, as far as the checks of pages need them. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { statusOf, until } from "../../cli/built.js";
import { freePort } from "../../free-port.js";
import { installed } from "../../packages.js";

/** Milliseconds for a browser to start or to answer, which none takes even on a busy machine. */
const PATIENCE = 120_000;

/** The code points of keys in WebDriver (17.4.2). */
const KEYS = { Enter: "\ue007", Escape: "\ue00c", ArrowDown: "\ue015" } as const;

/** A window of a browser. */
export interface BrowserWindow {
  open(url: string): Promise<unknown>;
  /** The value of an expression on the page, or of the promise that it gives. */
  evaluate(expression: string): Promise<unknown>;
  click(selector: string): Promise<unknown>;
  type(selector: string, text: string): Promise<unknown>;
  press(key: keyof typeof KEYS): Promise<unknown>;
  back(): Promise<unknown>;
  /** The errors of pages; empty if the browser does not tell them. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** The part of a page of Puppeteer that is used here. */
interface PuppeteerPage {
  setViewport(size: { readonly width: number; readonly height: number }): Promise<void>;
  on(event: "pageerror", listener: (error: Error) => void): void;
  on(event: "console", listener: (message: { type(): string; text(): string }) => void): void;
  goto(url: string): Promise<unknown>;
  goBack(): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
  click(selector: string): Promise<void>;
  type(selector: string, text: string): Promise<void>;
  readonly keyboard: { press(key: string): Promise<void> };
}

const FIREFOX = ["/usr/bin/firefox-esr", "/usr/bin/firefox"].find((path) => existsSync(path));
const PUPPETEER = FIREFOX === undefined ? undefined : await installed("puppeteer");
const HAS_WEBKIT = ["/usr/bin/WebKitWebDriver", "/usr/bin/xvfb-run"].every((path) => existsSync(path));

/** The browsers by name, each with what opens a window of a width; `undefined` for those that this machine lacks. */
export const OTHER_BROWSERS: readonly (readonly [string, ((width: number) => Promise<BrowserWindow>) | undefined])[] = [
  ["Firefox", PUPPETEER === undefined ? undefined : firefox],
  ["WebKit", HAS_WEBKIT ? webkit : undefined],
];

async function firefox(width: number): Promise<BrowserWindow> {
  const { launch } = await import(join(PUPPETEER!, "puppeteer-core/lib/esm/puppeteer/puppeteer-core.js"));
  const browser = await launch({ browser: "firefox", executablePath: FIREFOX!, headless: true, timeout: PATIENCE });
  const page: PuppeteerPage = await browser.newPage();
  await page.setViewport({ width, height: 800 });
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return {
    complaints,
    open: (url) => page.goto(url),
    evaluate: (expression) => page.evaluate(expression),
    click: (selector) => page.click(selector),
    type: (selector, text) => page.type(selector, text),
    press: (key) => page.keyboard.press(key),
    back: () => page.goBack(),
    close: () => browser.close(),
  };
}

/** A window by WebDriver (W3C Recommendation), on a screen in memory. */
async function webkit(width: number): Promise<BrowserWindow> {
  const port = await freePort();
  const env = { ...process.env, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1", LIBGL_ALWAYS_SOFTWARE: "1" };
  const driver = spawn("xvfb-run", ["-a", "WebKitWebDriver", `--port=${port}`], {
    ...{ env, stdio: "ignore", detached: true },
  });
  let root = `http://127.0.0.1:${port}`;
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const given = body === undefined ? null : JSON.stringify(body);
    const answer = await fetch(root + path, { method, body: given, signal: AbortSignal.timeout(PATIENCE) });
    const { value } = (await answer.json()) as { value: T };
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(value)}`);
    return value;
  };
  await until(async () => (await statusOf(`${root}/status`)) === 200);
  const { sessionId } = await ask<{ sessionId: string }>("POST", "/session", { capabilities: {} });
  root += `/session/${sessionId}`;
  await ask("POST", "/window/rect", { width, height: 800 });
  const element = async (selector: string): Promise<string> =>
    Object.values(await ask<object>("POST", "/element", { using: "css selector", value: selector }))[0];
  const keys = (value: string) => ["keyDown", "keyUp"].map((type) => ({ type, value }));
  return {
    complaints: [],
    open: (url) => ask("POST", "/url", { url }),
    evaluate: (expression) =>
      ask("POST", "/execute/async", { script: `Promise.resolve(${expression}).then(arguments[0])`, args: [] }),
    click: async (selector) => ask("POST", `/element/${await element(selector)}/click`, {}),
    type: async (selector, text) => ask("POST", `/element/${await element(selector)}/value`, { text }),
    press: (key) => ask("POST", "/actions", { actions: [{ type: "key", id: "keys", actions: keys(KEYS[key]) }] }),
    back: () => ask("POST", "/back", {}),
    async close() {
      await ask("DELETE", "");
      process.kill(-driver.pid!);
    },
  };
}
