import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser, type OpenPage, openPage } from './browser.ts';
import { type RunningDriver, startDriver } from './driver.ts';
import { type ModelServer, type ModelServerOptions, startModelServer } from './model-server.ts';
import { startServer, type TestServer } from './server.ts';

/** `GSV_DIST` names a build to test instead of the one that `npm run build` keeps fresh. */
const dist = process.env.GSV_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url));
const STEP_MS = 15_000;

export const account = { username: 'ada', password: 'correct horse battery' };

export type WorldOptions = {
  model?: ModelServerOptions;
  /** Run the kernel in a leading tab instead of a SharedWorker. */
  leader?: boolean;
  /** Whether the server shall be able to read what it keeps: it is not sealed then. */
  readable?: boolean;
  /** More flags of Chromium. */
  browserArgs?: string[];
};

export type Device = {
  driver: RunningDriver;
  workspace: string;
  token: string;
  /** Starts its driver again, on the same state. */
  restart(): Promise<RunningDriver>;
};

/** A whole GSV: the real server with the built page, a real Chromium, and a scripted model provider. */
export class World {
  readonly server: TestServer;
  readonly model: ModelServer;
  readonly browser: Browser;
  readonly home: string;
  readonly #options: WorldOptions;
  readonly #drivers: RunningDriver[] = [];
  #again: TestServer | null = null;

  private constructor(server: TestServer, model: ModelServer, browser: Browser, options: WorldOptions) {
    this.server = server;
    this.model = model;
    this.browser = browser;
    this.#options = options;
    this.home = mkdtempSync(join(tmpdir(), 'gsv-world-'));
  }

  static async start(options: WorldOptions = {}): Promise<World> {
    if (!existsSync(join(dist, 'page', 'index.html')))
      throw new Error('The page is not built; run npm run build');
    const [server, model, browser] = await Promise.all([
      startServer({ distDir: dist }),
      startModelServer(options.model),
      launchBrowser(options.browserArgs),
    ]);
    return new World(server, model, browser, options);
  }

  /** Opens a page of a new browser profile at the claim link, or at `path`. */
  async open(
    path?: string,
    size = { width: 1360, height: 860 },
    more: BrowserContextOptions = {},
  ): Promise<OpenPage> {
    const context = await this.browser.newContext({ viewport: size, ...more });
    if (this.#options.leader) {
      await context.addInitScript(() => localStorage.setItem('gsv.kernel-host', 'leader'));
    }
    const address =
      path === undefined ? (this.server.claimLink ?? this.server.url) : `${this.server.url}${path}`;
    context.setDefaultTimeout(STEP_MS);
    return openPage(this.browser, address, { context });
  }

  /** Goes through the first-run wizard: account, model; no device. Ends in the chat. */
  async setUp(page: Page): Promise<void> {
    await page.getByLabel('Username').fill(account.username);
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    await page.getByLabel('Repeat the password').fill(account.password);
    if (this.#options.readable) await page.getByRole('checkbox', { name: /^Sealed/ }).uncheck();
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByLabel('Provider').selectOption('openai-compatible');
    await page.getByLabel('Address').fill(this.model.url);
    await page
      .getByRole('combobox', { name: 'Model' })
      .or(page.getByRole('textbox', { name: 'Model' }))
      .first()
      .fill('scripted-model');
    await page.getByRole('button', { name: /^(Continue|Next|Save)/ }).click();
    // The step before has a button of the same name.
    await page.getByRole('heading', { name: 'A device' }).waitFor();
    await page.getByRole('button', { name: /^(Skip|Later|Not now)/ }).click();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
  }

  /** Adds a device in the page, starts its driver with further `args`, and waits until the page shows it connected. */
  async addDevice(page: Page, id = 'box', args: string[] = []): Promise<Device> {
    await page.getByRole('link', { name: 'Devices' }).click();
    await page.getByRole('button', { name: 'Add a device' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').first().fill(id);
    await dialog.getByRole('button', { name: /^(Make|Create|Add|Continue)/ }).click();
    const line = await dialog.locator('code, pre').filter({ hasText: 'gsv.mjs' }).first().innerText();
    const token = /gsv_node_[A-Za-z0-9_-]{32}(\.[A-Za-z0-9_-]{43})?/.exec(line)?.[0];
    if (!token) throw new Error(`No token in: ${line}`);
    const workspace = mkdtempSync(join(this.home, 'workspace-'));
    const stateDir = mkdtempSync(join(this.home, 'state-'));
    const start = async (): Promise<RunningDriver> => {
      const driver = await startDriver({ url: this.server.url, token, id, workspace, stateDir, args });
      this.#drivers.push(driver);
      await driver.waitConnected();
      return driver;
    };
    const driver = await start();
    await dialog
      .getByText(/connected/i)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Chat' }).click();
    return { driver, workspace, token, restart: start };
  }

  /** The server that runs now. */
  get serverNow(): TestServer {
    return this.#again ?? this.server;
  }

  /** Starts the server again on the same data and port, after it was killed. */
  async restartServer(): Promise<void> {
    const { port, dataDir } = this.server;
    this.#again = await startServer({ distDir: dist, port, dataDir });
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await Promise.all(this.#drivers.map((driver) => driver.stop().catch(() => null)));
    await this.model.close();
    await this.serverNow.stop();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** Types a message and sends it. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

/** Waits until the conversation shows this text. */
export async function answered(page: Page, text: string): Promise<void> {
  await page.getByRole('log').getByText(text, { exact: true }).last().waitFor();
}

/** What the model was told of its tool calls, in the newest request. */
export function toolResults(model: ModelServer): string[] {
  const messages = model.requests.at(-1)?.body.messages ?? [];
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.stringify(content));
}

/** Says in the settings that the model sees images: of one that no catalogue knows it is not assumed. */
export async function letSeeImages(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByLabel('Images').selectOption('It sees images');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('The model settings are saved.').first().waitFor();
  await page.getByRole('link', { name: 'Chat' }).click();
}
