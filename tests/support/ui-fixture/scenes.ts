import type { MessageRow } from '../../../shared/state/conversation.ts';
import type { ViewRow } from '../../../shared/syscalls/view-row.ts';
import { hostileMarkdown } from '../hostile-markdown.ts';
import { buildConversation, homeConversation, longConversation, partsConversation } from './conversations.ts';
import { notifications, replicas } from './sharing.ts';

export type Row = ViewRow['value'];
export type Scene = {
  name: string;
  session: 'setup' | 'signed-out' | 'signed-in';
  /** Rows by view; conversations are named `conversation <pid>` and hold what is not a message. */
  views: Record<string, ReadonlyMap<string, Row> & Map<string, Row>>;
  messages: Record<string, MessageRow[]>;
};

const MINUTE = 60_000;
const now = Date.now();

const process = (
  pid: string,
  label: string | null,
  state: string,
  activity: string | null,
  ago: number,
  queuedCount = 0,
): [string, Row] => [
  pid,
  {
    pid,
    uid: 1000,
    gid: 100,
    gids: [100],
    username: 'sam',
    home: '/home/sam',
    cwd: '/home/sam',
    profile: pid.startsWith('init') ? 'init' : (pid.split(':')[0] ?? 'task'),
    parentPid: null,
    label,
    workspaceId: null,
    contextFiles: [],
    state,
    activity,
    conversationId: 'default',
    generation: 0,
    queuedCount,
    createdAt: now - ago - 60 * MINUTE,
    updatedAt: now - ago,
  },
];

const processes = (): Map<string, Row> =>
  new Map([
    process(
      'init:1000',
      'Why does the nightly build fail',
      'running',
      'asks before a command · build-box',
      10_000,
      1,
    ),
    process('task:receipts', 'Sort the scanned receipts', 'running', 'reading 41 of 118 · nas', 2 * MINUTE),
    process('task:backup', 'Rotate the backup key', 'waiting', 'asks before it writes', 190 * MINUTE),
    process('task:parts', 'Every kind of message', 'idle', null, 26 * 60 * MINUTE),
    process(
      'review:diff',
      'Review of the sync branch',
      'error',
      'the provider refused the key',
      3 * 24 * 60 * MINUTE,
    ),
    process('task:long', 'Ten thousand messages', 'idle', null, 5 * 24 * 60 * MINUTE),
    process('task:hostile', 'Hostile text', 'idle', null, 40 * 24 * 60 * MINUTE),
    process('task:empty', null, 'idle', null, 60 * 24 * 60 * MINUTE),
  ]);

const device = (
  deviceId: string,
  description: string,
  online: boolean,
  seen: number,
  extra: Row = {},
): [string, Row] => [
  deviceId,
  {
    deviceId,
    ownerUid: 1000,
    ownerGid: 100,
    description,
    platform: 'linux x64',
    version: '0.1.0',
    implements: ['fs.*', 'shell.exec'],
    online,
    firstSeenAt: now - 900 * MINUTE,
    lastSeenAt: now - seen,
    connectedAt: now - seen,
    disconnectedAt: online ? null : now - seen,
    revoked: false,
    ...extra,
  },
];

const devices = (): Map<string, Row> =>
  new Map([
    device('build-box', 'Builds everything at night. 32 cores, no screen.', true, 200 * MINUTE),
    device('nas', '', true, 3 * 24 * 60 * MINUTE, { pairAgain: true }),
    device('old-laptop', 'In the drawer.', false, 4 * 24 * 60 * MINUTE, { platform: 'darwin arm64' }),
    device('old-phone', '', false, 30 * 24 * 60 * MINUTE, { revoked: true }),
    device('tablet', '', false, 0, {
      connectedAt: null,
      disconnectedAt: null,
      lastSeenAt: 0,
      platform: '',
      version: '',
      implements: [],
    }),
  ]);

const status = (link: string, waiting = 0, extra: Row = {}): Map<string, Row> =>
  new Map([
    [
      'status',
      {
        version: '0.1.0',
        setupMode: false,
        username: 'sam',
        link,
        linkReason: null,
        linkSince: link === 'offline' ? now - 90 * MINUTE : null,
        waiting,
        replicaId: 'r-here',
        locked: false,
        ...extra,
      },
    ],
  ]);

function signedIn(name: string, link = 'online', waiting = 0): Scene {
  const home = homeConversation(now);
  const build = buildConversation(now);
  return {
    name,
    session: 'signed-in',
    views: {
      processes: processes(),
      devices: devices(),
      status: status(link, waiting),
      replicas: replicas(),
      notifications: notifications(),
      'conversation init:1000': build.rows,
      'conversation task:backup': home.rows,
    },
    messages: {
      'init:1000': build.messages,
      'task:backup': home.messages,
      'task:parts': partsConversation(now),
      'task:long': longConversation(10_000, now),
      'task:hostile': hostileMarkdown.map(
        ({ source }, place): MessageRow => ({
          id: place + 1,
          generation: 0,
          role: 'assistant',
          content: [{ type: 'text', text: source }],
          timestamp: now,
          runId: null,
        }),
      ),
    },
  };
}

const empty = (session: Scene['session'], name: string): Scene => ({
  name,
  session,
  views: {
    processes: new Map([process('init:1000', null, 'idle', null, 0)]),
    devices: new Map(),
    status: status('online'),
    replicas: new Map(),
    notifications: new Map(),
  },
  messages: {},
});

/** A run that another browser drives; `online` says whether that browser is there. */
function elsewhere(name: string, online: boolean): Scene {
  const scene = signedIn(name);
  const run = scene.views['conversation init:1000']?.get('run') ?? {};
  scene.views['conversation init:1000']?.set('run', { ...run, owner: 'r-laptop' });
  const laptop = scene.views.replicas?.get('r-laptop') ?? {};
  scene.views.replicas?.set('r-laptop', { ...laptop, online, lastSeenAt: now - 3 * MINUTE });
  return scene;
}

/** A scene with another state of the link. */
function linked(scene: Scene, link: string, waiting: number, extra: Row): Scene {
  scene.views.status = status(link, waiting, extra);
  return scene;
}

/** A process that delegated work, with children at work, done, out of time, and below each other. */
function tree(name: string): Scene {
  const scene = signedIn(name);
  const rows = scene.views.processes;
  const child = (pid: string, parentPid: string, label: string, state: string, more: Row): void => {
    const [key, row] = process(pid, label, state, state === 'running' ? 'Read notes.md · gsv' : null, MINUTE);
    rows?.set(key, { ...row, parentPid, ...more });
  };
  const task = (outcome?: string): Row => ({
    task: {
      callId: 'c',
      deadlineAt: now + 5 * MINUTE,
      endedAt: outcome ? now : null,
      ...(outcome ? { outcome } : {}),
    },
  });
  child('task:a', 'init:1000', 'Read the build log of last night', 'running', task());
  child('task:b', 'init:1000', 'Count the failing tests', 'idle', task('ok'));
  child('task:c', 'task:a', 'Find the commit that broke it', 'running', { ...task(), waitsFor: [] });
  child('task:d', 'init:1000', 'Ask the old laptop', 'idle', task('timeout'));
  const home = rows?.get('init:1000') ?? {};
  rows?.set('init:1000', { ...home, waitsFor: ['task:a'] });
  const asking = rows?.get('task:a') ?? {};
  rows?.set('task:a', { ...asking, waitsFor: ['task:c'] });
  return scene;
}

const scenes: Record<string, (name: string) => Scene> = {
  setup: (name) => empty('setup', name),
  'signed-out': (name) => empty('signed-out', name),
  empty: (name) => empty('signed-in', name),
  alone: (name) => linked(empty('signed-in', name), 'alone', 0, {}),
  waiting: (name) => signedIn(name, 'online', 3),
  offline: (name) => signedIn(name, 'offline', 2),
  refused: (name) => linked(signedIn(name), 'refused', 0, { linkReason: 'Unknown token' }),
  locked: (name) =>
    linked(empty('signed-out', name), 'refused', 4, { locked: true, linkSince: now - 90 * MINUTE }),
  tree,
  elsewhere: (name) => elsewhere(name, true),
  gone: (name) => elsewhere(name, false),
};

export function sceneNamed(name: string): Scene {
  return (scenes[name] ?? signedIn)(name);
}
