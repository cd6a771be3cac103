import { MessageChannel } from 'node:worker_threads';
import { bootKernel, type Kernel } from '../../shared/kernel/kernel.ts';
import type { RoomDialer } from '../../shared/kernel/ports/room-dialer.ts';
import { SyscallError } from '../../shared/protocol/errors.ts';
import { Peer } from '../../shared/protocol/peer.ts';
import { PortLink, type PortLike } from '../../shared/protocol/port-link.ts';
import { PROTOCOL_VERSION } from '../../shared/protocol/version.ts';
import type { Args, Result, SyscallName } from '../../shared/syscalls/table.ts';
import { systemClock, systemRandom } from '../../web/kernel-host/platform.ts';
import { MemoryDisk } from './memory-storage.ts';
import { type Script, ScriptedModels, says } from './scripted-models.ts';

export type Signal = { signal: string; payload: Record<string, unknown> };

const noRoom: RoomDialer = { dial: () => Promise.reject(new Error('there is no room here')), setToken: () => {} };

/** A page of a kernel in this process, connected over a real MessagePort. */
export class TestPage {
  readonly signals: Signal[] = [];
  readonly peer: Peer;
  readonly #waiters = new Set<() => void>();

  constructor(kernel: Kernel) {
    const { port1, port2 } = new MessageChannel();
    kernel.attach(new PortLink(port1 as unknown as PortLike));
    this.peer = new Peer(new PortLink(port2 as unknown as PortLike), 'connecting', systemClock, {
      call: () => Promise.reject(new SyscallError(404, 'nothing here')),
      signal: ({ signal, payload }) => {
        this.signals.push({ signal, payload: (payload ?? {}) as Record<string, unknown> });
        for (const check of this.#waiters) check();
      },
      closed: () => {},
    });
  }

  async call<Name extends SyscallName>(name: Name, args: Args<Name>): Promise<Result<Name>> {
    return (await this.peer.call(name, args)).data as Result<Name>;
  }

  connect(username = 'ada', password = 'correct horse'): Promise<Result<'sys.connect'>> {
    const client = { id: 'test', version: '0', platform: 'test', role: 'user' as const };
    return this.call('sys.connect', { protocol: PROTOCOL_VERSION, client, auth: { username, password } });
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

  finished(runId: string): Promise<Signal> {
    return this.heard(({ signal, payload }) => signal === 'proc.run.finished' && payload.runId === runId);
  }
}

/** A kernel in this process on a memory disk with a scripted model; `restart` is a kill and a boot from disk. */
export class TestKernel {
  readonly disk = new MemoryDisk();
  readonly models: ScriptedModels;
  kernel!: Kernel;

  constructor(script: Script = () => says('ok')) {
    this.models = new ScriptedModels(script);
  }

  async boot(): Promise<this> {
    this.kernel = await bootKernel({
      docs: this.disk.docs(),
      blobs: this.disk.blobStore(),
      vault: this.disk.vault(),
      models: this.models,
      dialer: noRoom,
      skills: async () => [],
      clock: systemClock,
      random: systemRandom,
      platform: 'test',
    });
    return this;
  }

  page(): TestPage {
    return new TestPage(this.kernel);
  }

  /** Sets up the account `ada` and signs a page in. */
  async ready(): Promise<TestPage> {
    await this.boot();
    const page = this.page();
    await page.call('sys.setup', { username: 'ada', password: 'correct horse', ai: { provider: 'scripted', model: 'one' } });
    await page.connect();
    return page;
  }

  async restart(): Promise<TestPage> {
    await this.kernel.stop();
    await this.boot();
    const page = this.page();
    await page.connect();
    return page;
  }
}
