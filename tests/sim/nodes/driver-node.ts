import { device } from '../../../driver/device.ts';
import type { HostCall, hostHandlers } from '../../../driver/host/host.ts';
import { Journal } from '../../../driver/journal/journal.ts';
import { BackOff } from '../../../driver/link/back-off.ts';
import { type Line, stayConnected } from '../../../driver/link/stay-connected.ts';
import { noLog } from '../../../driver/log/log.ts';
import type { Link } from '../../../shared/protocol/link.ts';
import { Peer, type PeerHandlers } from '../../../shared/protocol/peer.ts';
import { GSV_VERSION, PROTOCOL_VERSION } from '../../../shared/protocol/version.ts';
import { deferred } from '../../../shared/std/deferred.ts';
import { pause } from '../../../shared/std/pause.ts';
import { Dice, hashOf, randomOf } from '../engine/dice.ts';
import { Life, type Skew } from '../engine/life.ts';
import type { Station } from '../engine/network.ts';
import type { Timeline } from '../engine/timeline.ts';
import { JournalDisk } from '../storage/memory-journal.ts';
import type { Witness } from './witness.ts';

export const DEVICE = 'laptop';
/** A command takes up to this long. */
const LONGEST_MS = 4_000;

type Around = {
  timeline: Timeline;
  dice: Dice;
  seed: number;
  witness: Witness;
  dial(from: Station, life: Life): Promise<Link>;
};
type Handlers = ReturnType<typeof hostHandlers>;

/** A workstation: the driver's core over a disk that outlives it. What it executes is told to the witness. */
export class DriverNode implements Station {
  readonly name = 'driver';
  readonly journal = new JournalDisk();
  readonly skew: Skew = { ms: 0 };
  readonly #around: Around;
  cutOff = false;
  life: Life;
  token = '';

  constructor(around: Around) {
    this.#around = around;
    this.life = new Life(around.timeline, this.skew);
    this.life.end();
  }

  get down(): boolean {
    return this.life.over;
  }

  start(): void {
    if (!this.life.over) return;
    this.life = new Life(this.#around.timeline, this.skew);
    void this.#run(this.life);
  }

  kill(): void {
    this.life.end();
  }

  async #run(life: Life): Promise<void> {
    const clock = life.clock();
    const random = randomOf(this.#around.dice);
    const journal = await Journal.over(life.guard(this.journal.store(life)), clock);
    const answer = device({
      id: DEVICE,
      handlers: this.#handlers(life),
      journal,
      stateDirectory: '/state',
      policy: { readOnly: false },
      log: noLog,
      clock,
    });
    const connect = (): Promise<Line> => this.#connect(life, answer);
    const explain = (thrown: unknown) => ({ message: String(thrown), patience: 'soon' as const });
    const silent = { connected: () => {}, disconnected: () => {}, refused: () => {} };
    await stayConnected(connect, explain, silent, new BackOff(random), clock, new AbortController().signal);
  }

  async #connect(life: Life, call: PeerHandlers['call']): Promise<Line> {
    const link = await life.guard({ dial: () => this.#around.dial(this, life) }).dial();
    const ended = deferred<string>();
    const peer = new Peer(link, 'connecting', life.clock(), {
      call,
      signal: () => {},
      closed: ended.resolve,
    });
    const client = { id: DEVICE, version: GSV_VERSION, platform: 'sim', role: 'driver' };
    const driver = { implements: ['fs.*', 'shell.exec'] };
    const auth = { username: 'ada', token: this.token };
    await peer.call(
      'sys.connect',
      { protocol: PROTOCOL_VERSION, client, driver, auth },
      { timeoutMs: 15_000 },
    );
    return { ended: ended.promise, hangUp: (reason) => peer.close(1000, reason) };
  }

  /** What changes something is counted by the token in its arguments; it happens somewhere in the time it takes. */
  #handlers(life: Life): Handlers {
    const { witness, seed } = this.#around;
    const execute = async (
      call: HostCall,
      text: string,
      key: string | undefined,
      signal: AbortSignal,
    ): Promise<void> => {
      const dice = new Dice(hashOf(seed, 'device', key ?? text));
      await pause(life.clock(), dice.below(LONGEST_MS / 2), signal);
      if (life.over) return;
      witness.executed(call, text, key);
      life.pass();
      await pause(life.clock(), dice.below(LONGEST_MS / 2), signal);
    };
    const refuse = async () => ({ ok: false as const, error: 'Not on this device' });
    return {
      'fs.read': async ({ path }) => ({ ok: true, content: `contents of ${path}`, path, size: 1 }),
      'fs.write': async ({ path, content }, { key, signal }) => {
        await execute('fs.write', content, key, signal);
        return { ok: true, path, size: content.length };
      },
      'shell.exec': async ({ input }, { key, signal }) => {
        await execute('shell.exec', input, key, signal);
        return { status: 'completed', output: `did ${input}`, exitCode: 0 };
      },
      'fs.edit': refuse,
      'fs.delete': refuse,
      'fs.search': refuse,
      'fs.transfer.read': refuse,
      'fs.transfer.write': refuse,
    };
  }
}
