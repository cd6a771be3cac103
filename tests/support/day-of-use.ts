import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelOutcome } from '../../shared/kernel/ports/models.ts';
import { streamOf } from '../../shared/protocol/streams.ts';
import { type RunningDriver, startDriver } from './driver.ts';
import { ADA, TestKernel, type TestPage } from './kernel.ts';
import { nodeDialer } from './node-dialer.ts';
import type { Planted } from './planted.ts';
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';
import { calls, type Script, says } from './scripted-models.ts';
import { startServer, type TestServer, waitFor } from './server.ts';

const DEVICE = 'workbench';
const PID = 'init:1000';
/** More than goes in one frame. */
const LARGE = 400_000;

/**
 * What a person does in a day with two browsers, a workstation and a server, at which everything that passes is kept.
 * Each thing that is theirs alone is a planted string.
 */
export class DayOfUse {
  readonly planted: Planted;
  readonly #home = mkdtempSync(join(tmpdir(), 'gsv-day-'));
  readonly #laptop: TestKernel;
  readonly #phone: TestKernel;
  readonly #proxy: RecordingProxy;
  #server: TestServer;
  #printed = '';
  #page!: TestPage;
  #driver!: RunningDriver;
  #turns: ReturnType<Script>[] = [];

  private constructor(planted: Planted, server: TestServer, proxy: RecordingProxy) {
    this.planted = planted;
    this.#server = server;
    this.#proxy = proxy;
    const world = { dialer: nodeDialer(proxy.socketUrl) };
    this.#laptop = new TestKernel(() => this.#turns.shift() ?? says('ok'), world);
    this.#phone = new TestKernel(() => says('ok'), world);
  }

  static async begin(planted: Planted): Promise<DayOfUse> {
    const dataDir = mkdtempSync(join(tmpdir(), 'gsv-day-data-'));
    const server = await startServer({ dataDir });
    return new DayOfUse(planted, server, await startRecordingProxy(server.port));
  }

  /** Everything that whoever holds the server has seen and has kept: traffic, files, and what was printed. */
  atServer(): { passed: Buffer[]; dataDir: string; printed: Buffer } {
    const printed = Buffer.from(this.#printed + this.#server.printed());
    return { passed: this.#proxy.passed(), dataDir: this.#server.dataDir, printed };
  }

  async live(sealed: boolean): Promise<void> {
    await this.#setUp(sealed);
    await this.#talk();
    await this.#server.killWorkerd();
    await this.#driver.waitConnected(2);
    await this.#settled();
    await this.#keepFiles();
    await this.#workOnDevice();
    const morning = this.#copyOfServer();
    await this.#organise();
    this.#page = await this.#again(this.#laptop);
    await this.#talk();
    await this.#secondBrowser();
    await this.#restoreServer(morning);
    await this.#tidyUp();
    await this.#settled();
  }

  async end(): Promise<void> {
    await this.#driver?.stop();
    this.#laptop.kill();
    this.#phone.kill();
    await this.#proxy.stop();
    await this.#server.stop();
    for (const path of [this.#home, this.#server.dataDir]) rmSync(path, { recursive: true, force: true });
  }

  async #setUp(sealed: boolean): Promise<void> {
    await this.#laptop.boot();
    const page = this.#laptop.page();
    const ai = { provider: 'scripted', model: 'one', apiKey: this.planted.one('key') };
    await page.call('sys.setup', { ...ADA, ai, sealed });
    await page.connect();
    this.#page = page;
    await page.call('sys.config.set', {
      key: 'users/1000/ai/tools/approval',
      value: '{"default":"auto","rules":[]}',
    });
    await page.call('sys.join', { secret: this.#server.claimSecret });
    for (const value of this.planted.some(5, 'setting')) {
      await page.call('sys.config.set', { key: 'users/1000/ai/context', value });
      await this.#settled();
    }
    const { token } = await page.call('sys.token.create', {
      kind: 'node',
      allowedRole: 'driver',
      allowedDeviceId: DEVICE,
    });
    this.#driver = await startDriver({
      url: this.#proxy.url,
      token: token.token,
      id: DEVICE,
      workspace: this.#workspace(),
      stateDir: join(this.#home, 'state'),
    });
    await this.#driver.waitConnected();
  }

  /** Questions, answers and what was thought on the way. */
  async #talk(): Promise<void> {
    for (const question of this.planted.some(20, 'message')) {
      this.#turns.push(thinks(this.planted.one('thought'), this.planted.one('answer')));
      await this.#page.run(`Is it ${question}?`);
    }
  }

  async #keepFiles(): Promise<void> {
    for (const name of this.planted.some(12, 'name')) {
      const path = `/home/ada/${name}.md`;
      await this.#page.call('fs.write', { path, content: `# ${this.planted.one('content')}\n` });
    }
    const path = `/home/ada/${this.planted.one('folder')}/large.txt`;
    const content = `${this.planted.one('content')}\n${'x'.repeat(LARGE)}\n${this.planted.one('content')}`;
    await this.#page.call('fs.write', { path, content });
  }

  /** An agent reads, writes and runs on the workstation; what comes back is small, large, and by and by. */
  async #workOnDevice(): Promise<void> {
    for (let round = 0; round < 6; round += 1) {
      const name = this.planted.one('name');
      this.#turns.push(
        calls(
          tool('Write', { path: name, content: this.planted.one('content') }, 'write'),
          tool('Shell', { input: `echo ${this.planted.one('command')}` }, 'echo'),
          tool('Search', { query: this.planted.one('query'), path: '.' }, 'search'),
        ),
        calls(tool('Read', { path: name }, 'read'), tool('Shell', { input: `cat ${this.#large()}` }, 'cat')),
        says(this.planted.one('answer')),
      );
      await this.#page.run(this.planted.one('message'));
    }
    await this.#page.call('shell.exec', {
      target: 'gsv',
      input: `cp ${DEVICE}:${this.#large()} gsv:/home/ada/${this.planted.one('name')}`,
    });
  }

  /** A file on the workstation whose contents go in more than one frame. */
  #large(): string {
    const name = this.planted.one('name');
    const lines = [this.planted.one('output'), 'y'.repeat(LARGE), this.planted.one('output')];
    writeFileSync(join(this.#workspace(), name), lines.join('\n'));
    return name;
  }

  async #organise(): Promise<void> {
    const page = this.#page;
    for (const title of this.planted.some(6, 'title')) await page.call('proc.conversation.open', { title });
    for (const label of this.planted.some(4, 'label')) {
      await page.call('proc.spawn', { profile: 'task', label, prompt: this.planted.one('prompt') });
    }
    for (const title of this.planted.some(6, 'notice')) {
      await page.call('notification.create', { title, body: this.planted.one('notice') });
    }
    for (const name of this.planted.some(4, 'schedule')) {
      await page.call('sched.add', {
        name,
        expression: { kind: 'every', everyMs: 86_400_000 },
        target: { kind: 'shell.exec', input: `echo ${this.planted.one('command')}` },
      });
    }
    const media = await page.peer.call(
      'proc.media.put',
      { name: `${this.planted.one('name')}.txt`, mimeType: 'text/plain' },
      { stream: streamOf(new TextEncoder().encode(`${this.planted.one('content')} `.repeat(20_000))) },
    );
    const stored = (media.data as { media: { path: string } }).media;
    await page.call('proc.send', { message: this.planted.one('message'), media: [{ path: stored.path }] });
  }

  async #secondBrowser(): Promise<void> {
    await this.#settled();
    const { secret } = await this.#page.call('sys.invite.create', {});
    await this.#phone.boot();
    const visitor = this.#phone.page();
    const { session } = await visitor.call('sys.join', { secret });
    const page = this.#phone.page();
    await page.connect({ username: session?.username ?? '', token: session?.token ?? '' });
    await waitFor(
      async () => (await page.history(PID)).messages.length > 40,
      'the conversation to be on the phone',
    );
    for (const message of this.planted.some(5, 'message')) await page.run(message, PID);
    for (const name of this.planted.some(5, 'name')) {
      await page.call('fs.write', { path: `/home/ada/${name}`, content: this.planted.one('content') });
    }
    await waitFor(async () => (await page.call('sys.status', {})).waiting === 0, 'the phone to be synced');
  }

  /** What is archived is compressed before it is stored. */
  async #tidyUp(): Promise<void> {
    await this.#page.call('proc.conversation.compact', {
      pid: PID,
      keepLast: 4,
      summary: this.planted.one('summary'),
    });
    for (const path of this.planted.some(5, 'name')) {
      await this.#page.call('fs.write', { path: `/home/ada/${path}`, content: '' });
      await this.#settled();
      await this.#page.call('fs.delete', { path: `/home/ada/${path}` });
    }
  }

  async #again(kernel: TestKernel): Promise<TestPage> {
    kernel.kill();
    await kernel.boot();
    const page = kernel.page();
    await page.connect();
    return page;
  }

  #copyOfServer(): string {
    const copy = join(this.#home, 'morning');
    cpSync(this.#server.dataDir, copy, { recursive: true });
    return copy;
  }

  /** The server dies, and comes back with what it had in the morning. */
  async #restoreServer(copy: string): Promise<void> {
    const { dataDir, port } = this.#server;
    await this.#server.kill();
    this.#printed += this.#server.printed();
    rmSync(dataDir, { recursive: true, force: true });
    cpSync(copy, dataDir, { recursive: true });
    this.#server = await startServer({ dataDir, port });
    await this.#driver.waitConnected(3);
  }

  async #settled(): Promise<void> {
    await waitFor(async () => {
      const { link, waiting } = await this.#page.call('sys.status', {});
      return link === 'online' && waiting === 0;
    }, 'everything to be at the server');
  }

  #workspace(): string {
    const path = join(this.#home, 'workspace');
    mkdirSync(path, { recursive: true });
    return path;
  }
}

function thinks(thought: string, answer: string): ModelOutcome {
  const thinking = { type: 'thinking', thinking: thought } as const;
  return { kind: 'message', content: [thinking, { type: 'text', text: answer }], usage: null, stop: 'stop' };
}

function tool(name: string, args: Record<string, unknown>, id: string) {
  return { name, args: { target: DEVICE, ...args }, id };
}
