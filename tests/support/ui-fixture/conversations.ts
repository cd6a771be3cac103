import type { Block, HilRow, MessageRow, RunRow } from '../../../shared/state/conversation.ts';
import type { Row } from './scenes.ts';

type Draft = Omit<MessageRow, 'id' | 'generation' | 'timestamp' | 'runId'>;
const usage = (input: number, output: number, cost: number) => ({
  input,
  output,
  cacheRead: 0,
  cacheWrite: 0,
  cost,
});
const text = (value: string): Block => ({ type: 'text', text: value });
const call = (id: string, name: string, args: Record<string, unknown>): Block => ({
  type: 'toolCall',
  id,
  name,
  arguments: args,
});
const user = (value: string): Draft => ({ role: 'user', content: [text(value)] });
const answer = (...content: Block[]): Draft => ({
  role: 'assistant',
  content,
  provider: 'anthropic',
  model: 'claude-sonnet',
  usage: usage(4_700, 380, 0.021),
  stop: 'stop',
});
const result = (
  toolCallId: string,
  toolName: string,
  syscall: string,
  output: string,
  durationMs: number,
  isError = false,
): Draft => ({
  role: 'toolResult',
  content: [text(output)],
  toolCallId,
  toolName,
  syscall,
  target: 'build-box',
  isError,
  durationMs,
});
const note = (kind: MessageRow['note'], value: string): Draft => ({
  role: 'system',
  content: [text(value)],
  note: kind,
});

function numbered(drafts: readonly Draft[], runId: string | null, now: number): MessageRow[] {
  return drafts.map((draft, place) => ({
    ...draft,
    id: place + 1,
    generation: 0,
    timestamp: now - (drafts.length - place) * 9_000,
    runId,
  }));
}

const CLEAN = 'rm -r /mnt/cache/17-11';

/** A run in the middle: two calls done, one that asks, and a queued message. */
export function buildConversation(now: number): { messages: MessageRow[]; rows: Map<string, Row> } {
  const messages = numbered(
    [
      user('The nightly on build-box has been red since Tuesday. Find out why, and fix it if it is small.'),
      answer(
        {
          type: 'thinking',
          thinking:
            'The log of the timer unit first. Then what changed on Tuesday: the script lives in ~/ci.',
        },
        text("I'll look at the last log first, then at what changed that day."),
        call('c1', 'Shell', { target: 'build-box', input: 'journalctl -u nightly --since tue | tail -80' }),
      ),
      result(
        'c1',
        'Shell',
        'shell.exec',
        '\u001b[31mnightly[8123]: lock /mnt/cache/17-11/.lock is held\u001b[0m\nnightly[8123]: giving up after 600 s\n[exit 0]',
        412,
      ),
      answer(
        call('c2', 'Read', { target: 'build-box', path: '/home/sam/ci/nightly.sh' }),
        call('c3', 'Edit', {
          target: 'build-box',
          path: '~/ci/nightly.sh',
          oldString: 'export CACHE=/mnt/cache/$(date +%d-%m)\n./build.sh --cache "$CACHE"\n',
          newString: 'export CACHE=/mnt/cache/$(date +%F)\n./build.sh --cache "$CACHE"\n',
        }),
      ),
      result(
        'c2',
        'Read',
        'fs.read',
        '     1\t#!/bin/sh\n     2\texport CACHE=/mnt/cache/$(date +%d-%m)\n     3\t./build.sh --cache "$CACHE"',
        38,
      ),
      result('c3', 'Edit', 'fs.edit', '{"ok":true,"path":"/home/sam/ci/nightly.sh","replacements":1}', 41),
      answer(
        text(
          "The cache folder was named by day and month only, so last year's folder for `17-11` was reused and its lock file is still there. The script is fixed; the stale folder has to go.",
        ),
        call('c4', 'Shell', { target: 'build-box', input: CLEAN }),
      ),
    ],
    'run-1',
    now,
  );
  const run: RunRow = {
    runId: 'run-1',
    owner: 'r-here',
    epoch: null,
    generation: 0,
    startedAt: now - 48_000,
    phase: 'tools',
    turns: 3,
    repeated: { signature: '', count: 0 },
    usage: usage(14_200, 1_100, 0.07),
    provider: 'anthropic',
    model: 'claude-sonnet',
    calls: [
      {
        callId: 'c4',
        key: 'k4',
        toolName: 'Shell',
        syscall: 'shell.exec',
        target: 'build-box',
        args: { input: CLEAN },
        status: 'asking',
        startedAt: null,
        finishedAt: null,
      },
    ],
  };
  const hil: HilRow = {
    requestId: 'hil-1',
    runId: 'run-1',
    callId: 'c4',
    toolName: 'Shell',
    syscall: 'shell.exec',
    args: { target: 'build-box', input: CLEAN },
    createdAt: now - 4_000,
    target: 'build-box',
    tags: ['remote', 'destructive', 'mutating', 'outside-cwd'],
    commands: [CLEAN],
    remember: ['rm', '-r'],
  };
  return {
    messages,
    rows: new Map<string, Row>([
      ['run', run],
      ['hil', hil],
      ['context', contextRow],
      ['q:00000001', { messageId: 'm9', runId: 'run-2', text: 'then run it once by hand', queuedAt: now }],
    ]),
  };
}

const contextRow: Row = {
  tokens: 76_000,
  window: 200_000,
  pressure: 0.38,
  level: 'ok',
  parts: { system: 600, home: 400, skills: 300, tools: 900, history: 74_000 },
};

export function homeConversation(now: number): { messages: MessageRow[]; rows: Map<string, Row> } {
  const messages = numbered(
    [user('Rotate the backup key, and tell me where the old one went.')],
    'run-h',
    now,
  );
  const content = '#!/bin/sh\nset -eu\nage-keygen -o key.new\nmv key key.old\nmv key.new key\n';
  const hil: HilRow = {
    requestId: 'hil-2',
    runId: 'run-h',
    callId: 'w1',
    toolName: 'Write',
    syscall: 'fs.write',
    args: { target: 'nas', path: '/etc/backup/rotate.sh', content },
    createdAt: now,
    target: 'nas',
    tags: ['privileged', 'mutating', 'outside-home', 'hidden-path', 'unclassified', 'network'],
    commands: [],
    remember: [],
  };
  return { messages, rows: new Map<string, Row>([['hil', hil]]) };
}

const MARKDOWN = `## What was found

The lock belongs to a build that was **killed** in March. Three things follow:

1. The name of the folder has to hold the year.
2. A lock that is older than a day is *not* a lock.
   - unless the process still lives
3. See the [manual](https://example.org/flock) for \`flock(1)\`.

\`\`\`ts
export function isStale(lock: { pid: number; at: number }, now: number): boolean {
  // A lock outlives its process only by accident.
  return now - lock.at > 86_400_000 || !alive(lock.pid);
}
\`\`\`

| step | before | after |
| --- | ---: | ---: |
| fetch | 41 s | 12 s |
| build | 310 s | 298 s |

> Nothing else in the folder was touched.

![a chart](https://tracker.example/pixel.png)`;

/** One of each: tables, code, failures, limits, live calls and all the rest. */
export function partsConversation(now: number): MessageRow[] {
  const done = numbered(
    [
      user('Show me everything you can say.\n\nOn several lines.'),
      answer({ type: 'thinking', thinking: 'A tour, then.' }, text(MARKDOWN)),
      answer(
        call('p1', 'Shell', {
          target: 'nas',
          input: 'set -e\ncd /srv/media\nfor f in *.mkv; do\n  ffprobe "$f"\ndone',
        }),
        call('p2', 'Search', { target: 'gsv', query: 'flock', path: '~/notes' }),
        call('p3', 'Write', {
          target: 'gsv',
          path: '~/notes/locks.md',
          content: '# Locks\n\nA lock names its process and its time.\n',
        }),
        call('p4', 'Delete', { target: 'build-box', path: '/mnt/cache/17-11/.lock' }),
        call('p5', 'Shell', { target: 'build-box', input: 'make -j32 release && \u202Eecho hidden' }),
      ),
      result(
        'p1',
        'Shell',
        'shell.exec',
        Array.from({ length: 90 }, (_, line) => `stream ${line}: video h264 1920x1080`)
          .join('\n')
          .concat('\n[exit 0]'),
        6_400,
      ),
      result(
        'p2',
        'Search',
        'fs.search',
        '{"ok":true,"matches":[{"path":"/home/sam/notes/a.md","line":4,"content":"use flock here"}],"count":1}',
        12,
      ),
      result('p3', 'Write', 'fs.write', '{"ok":true,"path":"/home/sam/notes/locks.md","size":51}', 5),
      result('p4', 'Delete', 'fs.delete', 'Permission denied: /mnt/cache/17-11/.lock', 31, true),
      result('p5', 'Shell', 'shell.exec', 'make: *** [release] Error 2\n[exit 2]', 72_000),
      answer(text('The build needs a newer compiler.')),
      note(
        'limit',
        'The run has cost $0.50, which is the limit for one run. Raise it in the settings, or go on with a new message.',
      ),
    ],
    'run-p',
    now - 600_000,
  );
  const later = numbered(
    [
      user('Then try the other compiler.'),
      note('error', 'The provider answered 529: overloaded. It was tried 4 times.'),
    ],
    'run-q',
    now,
  );
  return [...done, ...later.map((row) => ({ ...row, id: row.id + done.length }))];
}

export function longConversation(count: number, now: number): MessageRow[] {
  return Array.from({ length: count }, (_, place): MessageRow => {
    const runId = `run-${Math.floor(place / 2)}`;
    const timestamp = now - (count - place) * 60_000;
    const head = { id: place + 1, generation: 0, timestamp, runId };
    if (place % 2 === 0) return { ...head, ...user(`Message ${place + 1}: what about step ${place}?`) };
    const body =
      place % 10 === 1
        ? `Here it is:\n\n\`\`\`js\nconst step = ${place};\nconsole.log(step * 2);\n\`\`\`\n\nThat is **all**.`
        : `Step ${place} is done. ${'It went as it should, and nothing else was touched. '.repeat(place % 5)}`;
    return { ...head, ...answer(text(body)) };
  });
}
