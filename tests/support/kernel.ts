import { MessageChannel } from 'node:worker_threads';
import { mintToken } from '../../shared/kernel/auth/tokens.ts';
import { bootKernel, type Kernel } from '../../shared/kernel/kernel.ts';
import type { DiskLock } from '../../shared/kernel/ports/disk-lock.ts';
import type { ModelStore } from '../../shared/kernel/ports/model-store.ts';
import type { RoomDialer } from '../../shared/kernel/ports/room-dialer.ts';
import type { SkillSource } from '../../shared/kernel/ports/skill-source.ts';
import { SyscallError } from '../../shared/protocol/errors.ts';
import { Peer } from '../../shared/protocol/peer.ts';
import { type PortLike, PortLink } from '../../shared/protocol/port-link.ts';
import { PROTOCOL_VERSION } from '../../shared/protocol/version.ts';
import type { UserRow } from '../../shared/state/control.ts';
import type { Clock } from '../../shared/std/clock.ts';
import type { Args, Result, SyscallName } from '../../shared/syscalls/table.ts';
import { systemClock, systemRandom } from '../../web/kernel-host/platform.ts';
import { cheapPasswords } from './cheap-passwords.ts';
import { editTables } from './edit-doc.ts';
import { MemoryDisk } from './memory-storage.ts';
import { Life, mortal, mortalClock, mortalLink, muteLink, never } from './mortal.ts';
import { type Script, ScriptedModels, says } from './scripted-models.ts';

export type Signal = { signal: string; payload: Record<string, unknown> };
export type Secret = { username: string; password?: string; token?: string };
type Sent = { runId: string; queued: boolean };

const noRoom: RoomDialer = {
  dial: () => Promise.reject(new Error('there is no room here')),
  setToken: () => {},
};
export const ADA = { username: 'ada', password: 'correct horse' };

/** A page of a kernel in this process, connected over a real MessagePort. */
export class TestPage {
  readonly signals: Signal[] = [];
  readonly peer: Peer;
  readonly port: MessagePort;
  /** Resolves with the reason when the kernel closes the link. */
  readonly closed: Promise<string>;
  readonly #waiters = new Set<() => void>();
  readonly #ports: readonly { unref(): void }[];

  constructor(kernel: Kernel) {
    const { port1, port2 } = new MessageChannel();
    this.#ports = [port1, port2];
    let closed: (reason: string) => void = () => {};
    this.closed = new Promise((resolve) => {
      closed = resolve;
    });
    this.port = port2 as unknown as MessagePort;
    kernel.attach(new PortLink(port1 as unknown as PortLike));
    this.peer = new Peer(new PortLink(port2 as unknown as PortLike), 'connecting', systemClock, {
      call: () => Promise.reject(new SyscallError(404, 'nothing here')),
      signal: ({ signal, payload }) => {
        this.signals.push({ signal, payload: (payload ?? {}) as Record<string, unknown> });
        for (const check of this.#waiters) check();
      },
      closed,
    });
  }

  /** Its kernel was killed: whoever waits for it does not keep this program running. */
  letGo(): void {
    for (const port of this.#ports) port.unref();
  }

  async call<Name extends SyscallName>(name: Name, args: Args<Name>): Promise<Result<Name>> {
    return (await this.peer.call(name, args)).data as Result<Name>;
  }

  connect(auth: Secret = ADA): Promise<Result<'sys.connect'>> {
    const client = { id: 'test', version: '0', platform: 'test', role: 'user' as const };
    return this.call('sys.connect', { protocol: PROTOCOL_VERSION, client, auth });
  }

  /** Sends a message that must be taken. */
  async send(message: string, pid?: string): Promise<Sent> {
    const sent = await this.call('proc.send', { message, ...(pid ? { pid } : {}) });
    if (!sent.ok) throw new Error(sent.error);
    return { runId: sent.runId, queued: sent.queued === true };
  }

  /** Sends a message and waits for the end of its run. */
  async run(message: string, pid?: string): Promise<Signal['payload']> {
    const { runId } = await this.send(message, pid);
    return (await this.finished(runId)).payload;
  }

  async history(pid?: string): Promise<Extract<Result<'proc.history'>, { ok: true }>> {
    const read = await this.call('proc.history', { limit: 1000, ...(pid ? { pid } : {}) });
    if (!read.ok) throw new Error(read.error);
    return read;
  }

  /** Resolves with the first signal, past or future, that fits. */
  heard(fits: (signal: Signal) => boolean): Promise<Signal> {
    return new Promise((resolve) => {
      const check = (): void => {
        const found = this.signals.find(fits);
        if (!found) return;
        this.#waiters.delete(check);
        resolve(found);
      };
      this.#waiters.add(check);
      check();
    });
  }

  named(signal: string): Signal['payload'][] {
    return this.signals.filter((heard) => heard.signal === signal).map(({ payload }) => payload);
  }

  finished(runId: string): Promise<Signal> {
    return this.heard(({ signal, payload }) => signal === 'proc.run.finished' && payload.runId === runId);
  }
}

/** What a test may replace in the world around its kernel. */
export type TestWorld = {
  clock?: Clock;
  dialer?: RoomDialer;
  skills?: SkillSource;
  modelStore?: ModelStore;
  diskLock?: DiskLock;
};

/** A kernel in this process on a memory disk with a scripted model; `restart` is a kill and a boot from disk. */
export class TestKernel {
  readonly disk = new MemoryDisk();
  readonly models: ScriptedModels;
  readonly world: TestWorld;
  kernel!: Kernel;
  life = new Life();
  #pages: TestPage[] = [];

  constructor(script: Script = () => says('ok'), world: TestWorld = {}) {
    this.models = new ScriptedModels(script);
    this.world = world;
  }

  /** `life` may end the kernel at a moment that a test chose: one that is dead never comes to be, and answers no page. */
  async boot(life = new Life()): Promise<this> {
    const { clock = systemClock, dialer = noRoom, skills = async () => [] } = this.world;
    this.life = life;
    const kernel = await bootKernel({
      docs: mortal(this.disk.docs(), life),
      blobs: mortal(this.disk.blobStore(), life),
      vault: mortal(this.disk.vault(), life),
      models: mortal(this.models, life),
      dialer: mortal(throughMortalLinks(dialer, life), life),
      skills,
      ...(this.world.diskLock ? { diskLock: this.world.diskLock } : {}),
      ...(this.world.modelStore ? { modelStore: this.world.modelStore } : {}),
      clock: mortalClock(clock, life),
      random: systemRandom,
      platform: 'test',
      passwordCost: cheapPasswords,
      erase: async () => this.disk.erase(),
    });
    if (!life.alive) return never;
    this.kernel = { ...kernel, attach: (link) => kernel.attach(muteLink(link, life)) };
    return this;
  }

  page(): TestPage {
    const page = new TestPage(this.kernel);
    this.#pages.push(page);
    return page;
  }

  async signedIn(auth?: Secret): Promise<TestPage> {
    const page = this.page();
    await page.connect(auth ?? { username: 'ada', token: await adaToken() });
    return page;
  }

  /** Boots with the account `ada` (uid 1000) set up and signs a page in. */
  async ready(): Promise<TestPage> {
    const { disk } = await setUpDisk();
    this.disk.copyFrom(disk);
    await this.boot();
    return this.signedIn();
  }

  /** Writes one more account to the disk, to be seen from the next boot on. Resolves with what signs it in. */
  async addAccount(account: Pick<UserRow, 'uid' | 'username' | 'gids'>): Promise<Secret> {
    const { uid, username } = account;
    const request = { uid, kind: 'user', label: null, allowedRole: 'user', allowedDeviceId: null } as const;
    const { row, raw } = await mintToken({ ...request, expiresAt: null }, 1, systemRandom);
    editTables(this.disk, (tables) => {
      const home = uid === 0 ? '/root' : `/home/${username}`;
      tables.users.put(String(uid), { ...account, gid: account.gids[0] ?? uid, home, createdAt: 1 });
      tables.tokens.put(row.tokenId, row);
    });
    return { username, token: raw };
  }

  /** Ends the kernel as a kill does: what was not on disk is lost, and it does nothing any more. */
  kill(): void {
    this.life.end();
    for (const page of this.#pages.splice(0)) page.letGo();
  }

  async restart(): Promise<TestPage> {
    this.kill();
    await this.boot();
    return this.signedIn();
  }
}

/** A killed kernel says nothing more on its link, whatever of it still runs. */
function throughMortalLinks(dialer: RoomDialer, life: Life): RoomDialer {
  return {
    dial: async (signal) => mortalLink(await dialer.dial(signal), life),
    setToken: (token, withheld) => dialer.setToken(token, withheld),
  };
}

type SetUp = { disk: MemoryDisk; token: string };
let setUp: Promise<SetUp> | undefined;

/** A disk on which `ada` is set up; made once in each test file, for hashing a password takes its time. */
function setUpDisk(): Promise<SetUp> {
  setUp ??= makeSetUpDisk();
  return setUp;
}

async function makeSetUpDisk(): Promise<SetUp> {
  const first = await new TestKernel().boot();
  const page = first.page();
  await page.call('sys.setup', { ...ADA, ai: { provider: 'scripted', model: 'one' } });
  first.kill();
  const { token = '' } = await first.addAccount({ uid: 1000, username: 'ada', gids: [100] });
  return { disk: first.disk, token };
}

async function adaToken(): Promise<string> {
  return (await setUpDisk()).token;
}
