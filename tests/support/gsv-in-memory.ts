import { SealedLog } from '../../sync-server/room/sealed-log.ts';
import { ADA, TestKernel, type TestPage } from './kernel.ts';
import { TestHost } from './kernel-pair.ts';
import { passing, settle } from './passing.ts';
import { ReachableRoom } from './replicas.ts';
import { CLAIM_SECRET } from './room-in-memory.ts';

/** One browser: its network, its kernel and a page that is signed in. */
export type TestBrowser = { host: TestHost; kernel: TestKernel; page: TestPage };

/** Browsers of one GSV over the room's real core, in virtual time, set up and joined as people do it. */
export class GsvInMemory {
  readonly room: ReachableRoom;

  private constructor(room: ReachableRoom) {
    this.room = room;
  }

  /** With a founder that has claimed the room. */
  static async start({ sealed }: { sealed: boolean }): Promise<{ gsv: GsvInMemory; founder: TestBrowser }> {
    const gsv = new GsvInMemory(await ReachableRoom.fresh());
    const founder = await gsv.browser();
    await gsv.passing(founder.page.call('sys.setup', { ...ADA, sealed }));
    await gsv.passing(founder.page.connect());
    await gsv.passing(founder.page.call('sys.join', { secret: CLAIM_SECRET }));
    await gsv.everythingStored(founder);
    return { gsv, founder };
  }

  /** An empty one. */
  async browser(): Promise<TestBrowser> {
    const host = new TestHost(this.room);
    const kernel = new TestKernel(undefined, { clock: host.clock, dialer: host });
    await this.passing(kernel.boot());
    return { host, kernel, page: kernel.page() };
  }

  /** One more, by an invitation of `inviter`. */
  async invited(inviter: TestBrowser): Promise<TestBrowser> {
    const { secret } = await this.passing(inviter.page.call('sys.invite.create', {}));
    return this.joined(secret);
  }

  /** One more, by the secret of an invitation or the words of a phrase. */
  async joined(secret: string): Promise<TestBrowser> {
    const browser = await this.browser();
    const { session } = await this.passing(browser.page.call('sys.join', { secret }));
    if (!session) throw new Error('nobody was signed in');
    const { username, token } = session;
    await this.passing(browser.page.connect({ username, token }));
    await this.everythingStored(browser);
    return browser;
  }

  /** A kill, and a boot from what is on its disk. */
  async restarted(browser: TestBrowser): Promise<void> {
    browser.kernel.kill();
    await this.passing(browser.kernel.boot());
    browser.page = browser.kernel.page();
    await this.passing(browser.page.connect());
  }

  /** Begins something in a browser, which is killed so many moments later. Whether it was killed before that was done. */
  async killedDuring(browser: TestBrowser, moments: number, begin: () => Promise<unknown>): Promise<boolean> {
    const { life } = browser.kernel;
    life.endIn(moments);
    let isOver = false;
    begin().then(
      () => {
        isOver = true;
      },
      () => {},
    );
    await this.until(() => isOver || !life.alive, 'it is over, or killed');
    const wasKilled = !life.alive;
    await this.restarted(browser);
    return wasKilled;
  }

  everythingStored(browser: TestBrowser): Promise<void> {
    const stored = async (): Promise<boolean> => {
      const { link, waiting } = await browser.page.call('sys.status', {});
      return link === 'online' && waiting === 0;
    };
    return this.until(stored, 'everything is at the room');
  }

  /** Names of the sealed documents on the server's disk. */
  logs(): string[] {
    return this.room.storage.names().flatMap((name) => (name.startsWith('.') ? name.slice(1) : []));
  }

  /** Names of the contents on the server's disk. */
  blobs(): string[] {
    return this.room.storage.blobNames();
  }

  /** What is on the server's disk of a sealed document. */
  async entries(name: string): Promise<Uint8Array[]> {
    const log = await SealedLog.load(this.room.storage, `.${name}`);
    const { snapshot, entries } = (await log.readingAfter(0, ''))();
    return [...(snapshot ? [snapshot.bytes] : []), ...entries];
  }

  async write(browser: TestBrowser, path: string, content: string): Promise<void> {
    await this.passing(browser.page.call('fs.write', { path, content }));
  }

  /** Resolves when a file says this in this browser. */
  reads(browser: TestBrowser, path: string, content: string): Promise<void> {
    const read = async (): Promise<boolean> => {
      const found = await browser.page.call('fs.read', { path }).catch(() => null);
      return JSON.stringify(found).includes(content);
    };
    return this.until(read, `${path} says ${content}`);
  }

  /** Resolves when the newest key of a browser is that of an epoch. */
  hasKey(browser: TestBrowser, epoch: number): Promise<void> {
    const has = async (): Promise<boolean> => (await browser.page.call('sys.seal.get', {})).epoch === epoch;
    return this.until(has, `key ${epoch} arrives`);
  }

  /** What happens while time passes. */
  passing<T>(going: Promise<T>): Promise<T> {
    return passing(this.room.clock, going);
  }

  until(done: () => boolean | Promise<boolean>, what: string): Promise<void> {
    return settle(this.room.clock, done, what);
  }
}
