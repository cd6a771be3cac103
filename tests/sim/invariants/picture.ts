import * as Y from 'yjs';
import { LOCAL_DOCS } from '../../../shared/kernel/documents.ts';
import type { Result } from '../../../shared/syscalls/table.ts';
import { askAll, askEach } from '../ask.ts';
import type { ReplicaNode } from '../nodes/replica-node.ts';
import type { Stage } from '../program/stage.ts';

export type Messages = Extract<Result<'proc.history'>, { ok: true }>['messages'];
/** What one replica shows when everything is at rest. */
export type View = {
  readonly name: string;
  readonly histories: ReadonlyMap<string, Messages>;
  /** Texts that are queued, by process. */
  readonly queued: ReadonlyMap<string, readonly string[]>;
  /** Contents by path. */
  readonly files: ReadonlyMap<string, string>;
};
/** Documents that replicas share, as JSON, by name. */
export type Documents = ReadonlyMap<string, string>;
export type Picture = {
  readonly views: readonly View[];
  readonly stored: readonly { readonly name: string; readonly documents: Documents }[];
};

const PLACES = ['/home', '/var/sessions', '/lost+found'];

/** Takes it through the pages, and the documents from the disks. */
export async function takePicture(stage: Stage): Promise<Picture> {
  const { world } = stage;
  const histories = new Map<string, [ReplicaNode, Result<'proc.history'>][]>();
  for (const pid of stage.pids) {
    histories.set(pid, await askAll(world, world.replicas, 'proc.history', { pid, limit: 1000 }));
  }
  const views: View[] = [];
  for (const replica of world.replicas) {
    const own = new Map<string, Messages>();
    for (const [pid, answers] of histories) {
      const answer = answers.find(([of]) => of === replica)?.[1];
      if (answer?.ok) own.set(pid, answer.messages);
    }
    const queued = await readQueues(stage, replica);
    views.push({ name: replica.name, histories: own, queued, files: await readFiles(stage, replica) });
  }
  await world.flow(5_000);
  return { views, stored: readDisks(stage) };
}

/** What resets have put away, as text. */
export function archiveOf({ files }: View): string {
  return [...files]
    .flatMap(([path, content]) => (path.startsWith('/var/sessions/') ? [content] : []))
    .join('\n');
}

async function readQueues(stage: Stage, replica: ReplicaNode): Promise<Map<string, string[]>> {
  const queued = new Map<string, string[]>();
  for (const pid of stage.pids) {
    const [answer] = await askAll(stage.world, [replica], 'view.open', {
      view: 'conversation',
      pid,
      tail: 1,
    });
    if (!answer) continue;
    const { rows, viewId } = answer[1];
    replica.page?.call('view.close', { viewId });
    queued.set(
      pid,
      rows.flatMap(({ key, value }) => (key.startsWith('q:') ? [String(value.text)] : [])),
    );
  }
  return queued;
}

async function readFiles(stage: Stage, replica: ReplicaNode): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  let paths = PLACES;
  while (paths.length > 0) {
    const questions = paths.map((path) => ({ replica, name: 'fs.read' as const, args: { path } }));
    const answers = await askEach(stage.world, questions);
    paths = [];
    for (const { args, result } of answers) {
      if (!result?.ok) files.set(args.path, `unreadable: ${JSON.stringify(result)}`);
      else if ('content' in result) files.set(args.path, textOf(result.content));
      else paths.push(...[...result.files, ...result.directories].map((name) => `${args.path}/${name}`));
    }
  }
  return files;
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

function readDisks({ world }: Stage): Picture['stored'] {
  const room = new Map<string, string>();
  for (const [doc, { updates }] of world.room.disk.logs) room.set(doc, jsonOf(updates));
  const replicas = world.replicas.map(({ name, disk }) => {
    const documents = new Map<string, string>();
    for (const [doc, updates] of disk.docs) if (!LOCAL_DOCS.has(doc)) documents.set(doc, jsonOf(updates));
    return { name, documents };
  });
  return [{ name: 'room', documents: room }, ...replicas];
}

function jsonOf(updates: readonly Uint8Array[]): string {
  const doc = new Y.Doc({ guid: 'picture' });
  try {
    doc.transact(() => {
      for (const update of updates) Y.applyUpdate(doc, update);
    });
  } catch {
    return `unreadable: ${updates.map(({ length }) => length).join(', ')} bytes`;
  }
  const tables = [...doc.share.keys()].sort();
  const json = tables.map((table) => {
    const rows = Object.entries(doc.getMap(table).toJSON()).sort(([a], [b]) => (a < b ? -1 : 1));
    return `${JSON.stringify(table)}:{${rows.map(([key, row]) => `${JSON.stringify(key)}:${stable(row)}`).join(',')}}`;
  });
  doc.destroy();
  return json.join('\n');
}

/** Fields in one order. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
