import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { alice, filesFixture } from '../../../tests/support/files-fixture.ts';
import { FsReplicas, type Replica, treeOf } from '../../../tests/support/fs-replicas.ts';
import { numbers } from '../../../tests/support/numbers.ts';
import { FsError } from './fs-error.ts';
import { isLostDirectory } from './lost-found.ts';
import { joinPath } from './paths.ts';

const SEEDS = 300;
const STEPS = 45;
const REPLICAS = 4;
const MOST_ROUNDS = 12;
/** What came to `/lost+found` itself. */
const STRAY = /^\/lost\+found\/\d+\/[^/]+$/;

/** People on several devices who change one home, each as they see it, and what they knowingly overwrote or removed. */
class World {
  readonly written = new Set<string>();
  readonly given = new Set<string>();
  readonly #replicas: FsReplicas;
  readonly #pick: (below: number) => number;

  constructor(replicas: FsReplicas, pick: (below: number) => number) {
    this.#replicas = replicas;
    this.#pick = pick;
  }

  async step(): Promise<void> {
    const replica = this.#of(this.#replicas.all);
    const kind = this.#pick(20);
    if (kind < 6) return this.#hear(replica);
    replica.clock.pass(this.#pick(4));
    try {
      await this.#act(replica, kind);
    } catch (error) {
      if (!(error instanceof FsError)) throw error;
    }
  }

  #hear(replica: Replica): void {
    const other = this.#of(this.#replicas.all);
    if (this.#pick(4) === 0) this.#replicas.pull(other, replica);
    else if (replica.inbox.length > 0) this.#replicas.deliver(replica, this.#pick(replica.inbox.length));
  }

  async #act(replica: Replica, kind: number): Promise<void> {
    const { fs } = replica;
    const tree = await treeOf(replica, '/home/alice');
    const paths = [...tree.keys()];
    const directories = ['/home/alice', ...paths.filter((path) => tree.get(path)?.kind === 'dir')];
    const fresh = (letter: string): string => joinPath(this.#of(directories), letter + this.#pick(3));
    const token = `${this.written.size}${this.#pick(10) === 0 ? '.'.repeat(4100) : ''}`;
    if (kind < 11) {
      const files = paths.filter((path) => tree.get(path)?.kind === 'file');
      const path = this.#pick(2) === 0 && files.length > 0 ? this.#of(files) : fresh('f');
      // A link may stand there: what is overwritten is what it leads to.
      const place = await fs.realpath(path, alice).catch(() => path);
      await replica.put(path, token);
      this.#gave(tree, place);
      this.written.add(token);
    } else if (kind < 13) await fs.mkdir(fresh('d'), alice);
    else if (kind < 14) {
      await fs.symlink(token, fresh('l'), alice);
      this.written.add(token);
    } else if (kind < 15 && paths.length > 0) await fs.chmod(this.#of(paths), 0o700, alice);
    else if (kind < 18 && paths.length > 0) {
      const from = this.#of(kind === 17 ? directories : paths);
      const to = kind < 17 && this.#pick(2) === 0 ? this.#of(paths) : fresh(kind === 17 ? 'd' : 'f');
      await fs.rename(from, to, alice);
      if (tree.get(from)?.ino !== tree.get(to)?.ino) this.#gave(tree, to);
    } else if (paths.length > 0) {
      const path = this.#of(paths);
      await fs.rm(path, alice, { recursive: true });
      for (const inner of paths) if (inner.startsWith(`${path}/`)) this.#gave(tree, inner);
      this.#gave(tree, path);
    }
  }

  #gave(tree: Awaited<ReturnType<typeof treeOf>>, path: string): void {
    this.given.add(tree.get(path)?.contents ?? '');
  }

  #of<T>(list: readonly T[]): T {
    return list[this.#pick(list.length)] as T;
  }
}

function textOf(tree: Awaited<ReturnType<typeof treeOf>>): string {
  return JSON.stringify([...tree], null, 1);
}

/** Ids of all inodes that the document has. */
function stored(doc: Y.Doc): string[] {
  const inos = [...doc.getMap('inodes').keys()].map((key) => key.replace(/@\d+$/, ''));
  return [...new Set(inos)].filter((ino) => ino !== '/').sort();
}

test(`[F80] replicas that edited apart come to one tree and lose nothing, in ${SEEDS} random histories`, async () => {
  let conflicts = 0;
  let strays = 0;
  let rings = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const replicas = await FsReplicas.of(REPLICAS);
    for (const name of ['d0', 'd1', 'd2']) await replicas.at(0).fs.mkdir(name, alice);
    replicas.settle();
    const world = new World(replicas, numbers(seed));
    for (let step = 0; step < STEPS; step += 1) await world.step();
    expect(replicas.settle(), `rounds, seed ${seed}`).toBeLessThan(MOST_ROUNDS);

    const tree = await treeOf(replicas.at(0));
    for (const replica of replicas.all) {
      expect(textOf(await treeOf(replica)), `seed ${seed}`).toBe(textOf(tree));
      conflicts += replica.conflicts.length;
    }
    const shown = [...tree.values()];
    rings += [...tree].filter(([path, { kind }]) => kind === 'dir' && STRAY.test(path)).length;
    const readable = new Set(shown.map(({ contents }) => contents));
    const lost = [...world.written].filter((token) => !world.given.has(token) && !readable.has(token));
    expect(lost, `seed ${seed}`).toEqual([]);

    const reached = shown.map(({ ino }) => ino).filter((ino) => !isLostDirectory(ino));
    expect(reached.sort(), `seed ${seed}`).toEqual(stored(replicas.at(0).doc));
    strays += [...tree.keys()].filter((path) => STRAY.test(path)).length;
    const rebuilt = new Y.Doc();
    Y.applyUpdate(rebuilt, Y.encodeStateAsUpdate(replicas.at(0).doc));
    let writes = 0;
    rebuilt.on('update', () => {
      writes += 1;
    });
    const again = await filesFixture(rebuilt, replicas.at(0).blobs);
    expect(textOf(await treeOf(again)), `seed ${seed}`).toBe(textOf(tree));
    expect(writes, `seed ${seed}`).toBe(0);
  }
  expect(conflicts).toBeGreaterThan(SEEDS);
  expect(strays).toBeGreaterThan(SEEDS / 10);
  expect(rings).toBeGreaterThan(SEEDS / 20);
}, 60_000);
