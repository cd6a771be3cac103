import * as Y from 'yjs';
import { joinPath } from '../../shared/kernel/fs/paths.ts';
import { type Fixture, filesFixture, root } from './files-fixture.ts';
import { MemoryBlobs } from './memory-blobs.ts';

const REMOTE = Symbol('remote');

export type Replica = Fixture & {
  /** Updates of others that have not arrived here. */
  inbox: Uint8Array[];
  /** Updates that this replica made itself. */
  made: number;
};

/** Replicas of one filesystem. What one changes lies in the inboxes of the others until it is delivered. */
export class FsReplicas {
  readonly all: Replica[] = [];

  /** They begin alike, with the homes of alice and bob. */
  static async of(count: number): Promise<FsReplicas> {
    const replicas = new FsReplicas();
    for (let at = 0; at < count; at += 1) await replicas.join();
    replicas.settle();
    return replicas;
  }

  at(index: number): Replica {
    const replica = this.all[index];
    if (!replica) throw new Error(`there is no replica ${index}`);
    return replica;
  }

  /** One more that has what the first has. */
  async join(): Promise<Replica> {
    const doc = new Y.Doc();
    doc.clientID = this.all.length + 1;
    const [first] = this.all;
    if (first) Y.applyUpdate(doc, Y.encodeStateAsUpdate(first.doc));
    const fixture = await filesFixture(doc, first?.blobs ?? new MemoryBlobs(), this.all.length);
    const replica: Replica = { ...fixture, inbox: [], made: 0 };
    doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin === REMOTE) return;
      replica.made += 1;
      for (const other of this.all) if (other !== replica) other.inbox.push(update);
    });
    this.all.push(replica);
    return replica;
  }

  /** One update arrives; the others may overtake it. */
  deliver(to: Replica, position = 0): void {
    const [update] = to.inbox.splice(position, 1);
    if (update) Y.applyUpdate(to.doc, update, REMOTE);
  }

  /** All that one replica knows arrives at another, as at a reconnection. */
  pull(from: Replica, to: Replica): void {
    Y.applyUpdate(to.doc, Y.encodeStateAsUpdate(from.doc, Y.encodeStateVector(to.doc)), REMOTE);
  }

  /** Everything arrives, and what replicas made of it, until nobody has anything to say. Returns how many rounds it took. */
  settle(): number {
    let rounds = 0;
    while (this.all.some(({ inbox }) => inbox.length > 0)) {
      rounds += 1;
      for (const replica of this.all) {
        for (const update of replica.inbox.splice(0)) Y.applyUpdate(replica.doc, update, REMOTE);
      }
    }
    return rounds;
  }
}

export type Shown = { ino: string; kind: string; mode: number; uid: number; contents: string };

/** Everything that is shown, by path; views apart. */
export async function treeOf({ fs }: Pick<Fixture, 'fs'>, top = '/'): Promise<Map<string, Shown>> {
  const tree = new Map<string, Shown>();
  const views = new Set(['/dev', '/etc', '/proc', '/sys']);
  const look = async (directory: string): Promise<void> => {
    for (const { name } of await fs.readdir(directory, root)) {
      const path = joinPath(directory, name);
      if (views.has(path)) continue;
      const { ino, kind, mode, uid } = await fs.lstat(path, root);
      const contents = await contentsOf(fs, path, kind);
      tree.set(path, { ino, kind, mode, uid, contents });
      if (kind === 'dir') await look(path);
    }
  };
  await look(top);
  return tree;
}

async function contentsOf(fs: Fixture['fs'], path: string, kind: string): Promise<string> {
  if (kind === 'dir') return '';
  if (kind === 'symlink') return fs.readlink(path, root);
  return new TextDecoder().decode(await fs.readFile(path, root));
}
