import {
  type Accessor,
  batch,
  createEffect,
  createMemo,
  createSignal,
  on,
  onCleanup,
  untrack,
} from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import type { ModelDelta } from '../../../shared/kernel/ports/models.ts';
import type {
  CallRow,
  ContextRow,
  HilRow,
  LastRow,
  MessageRow,
  PartialRow,
  QueueRow,
  RunRow,
} from '../../../shared/state/conversation.ts';
import { DEFAULT_CONVERSATION } from '../../../shared/state/conversation-names.ts';
import type { Gsv } from '../../client/gsv.ts';
import type { CallOutcome } from './calls.ts';
import { type Item, transcriptItems } from './items.ts';
import { fromHistory } from './messages.ts';
import { createRows } from './rows.ts';
import { type LiveBlock, LiveStream } from './stream.ts';
import {
  emptyTranscript,
  olderCount,
  olderPage,
  type Transcript,
  withLive,
  withOlder,
} from './transcript.ts';

/** Messages sent at once when a conversation is opened, and per page towards its start. */
const TAIL = 200;

/** How long a finished run's text may wait for the stored message that takes its place. */
const FINISHED_MS = 250;
/** Characters of a running call's output that are held to be shown. */
const SO_FAR_CHARACTERS = 8_000;

type Value = MessageRow | QueueRow | RunRow | HilRow | LastRow | PartialRow | ContextRow;

/** One process's conversation, live: everything the chat shows. */
export type Conversation = {
  ready: Accessor<boolean>;
  items: Accessor<readonly Item[]>;
  rows: Accessor<readonly MessageRow[]>;
  /** What is known of a call's outcome, by its id. */
  result(callId: string): CallOutcome | undefined;
  /** The end of what a running call has printed so far, by its id; empty when nothing is known. */
  soFar(callId: string): string;
  /** A call of the turn that is going on, by its id. */
  pending(callId: string): CallRow | undefined;
  run: Accessor<RunRow | null>;
  hil: Accessor<HilRow | null>;
  /** How the run before ended. */
  last: Accessor<LastRow | null>;
  context: Accessor<ContextRow | null>;
  queue: Accessor<readonly QueueRow[]>;
  live: Accessor<readonly LiveBlock[]>;
  olderCount: Accessor<number>;
  /** Fetches the page before the first message held. Resolves to whether there was one. */
  loadOlder(): Promise<boolean>;
};

/** Which conversation of which process. */
export type Place = { pid: string; conversationId: string };
/** As syscalls want it: the first conversation is meant unless another is named. */
export type About = { pid: string; conversationId?: string };
export const aboutPlace = ({ pid, conversationId }: Place): About =>
  conversationId === DEFAULT_CONVERSATION ? { pid } : { pid, conversationId };

export function createConversation(gsv: Gsv, place: Accessor<Place>): Conversation {
  const view = createRows<Value>(gsv, () => ({ view: 'conversation', ...aboutPlace(place()), tail: TAIL }));
  const single = <Row>(key: string): Accessor<Row | null> =>
    createMemo(() => (view.rows().get(key) as Row | undefined) ?? null);

  const run = single<RunRow>('run');
  const hil = single<HilRow>('hil');
  const partial = single<PartialRow>('partial');
  const queue = createMemo(() => inOrder(view.rows()), [], { equals: sameRows });
  const [transcript, setTranscript] = createSignal<Transcript>(emptyTranscript);
  const [results, setResults] = createStore<Record<string, CallOutcome>>({});
  const [printed, setPrinted] = createStore<Record<string, string>>({});
  const calls = createMemo(() => new Map(run()?.calls.map((call) => [call.callId, call])));
  const { live, stored, clear } = createLive(gsv, place, partial, {
    outcome: (callId, outcome) => setResults(callId, (known) => known ?? outcome),
    printed: (callId, text) => setPrinted(callId, (before = '') => (before + text).slice(-SO_FAR_CHARACTERS)),
  });

  let newestSeen = 0;
  createEffect(
    on(place, () => {
      newestSeen = 0;
      clear();
      setTranscript(emptyTranscript);
      setResults(reconcile({}));
      setPrinted(reconcile({}));
    }),
  );
  createEffect(() => {
    const rows = byKey<MessageRow>(view.rows(), 'm:');
    const total = view.total();
    batch(() => {
      const before = untrack(transcript);
      const next = withLive(before, rows, total);
      if (next.total !== before.total || !sameRows(next.rows, before.rows)) setTranscript(next);
      for (const row of rows) {
        if (row.toolCallId !== undefined) setResults(row.toolCallId, row);
        if (row.id > newestSeen && row.role === 'assistant' && row.runId !== null) stored(row.runId);
      }
      newestSeen = rows.at(-1)?.id ?? 0;
    });
  });

  const cache = new WeakMap<MessageRow, Item[]>();
  const costs = new Map<string, Extract<Item, { kind: 'cost' }>>();
  const ending = createEnding(hil, live);
  const history = createMemo(() => transcriptItems(transcript().rows, run()?.runId ?? null, cache, costs));
  const items = createMemo(() => [...history(), ...ending()]);

  let loading: Promise<boolean> | null = null;
  const fetchOlder = async (): Promise<boolean> => {
    const asked = place();
    const page = olderPage(transcript(), TAIL);
    if (page === null) return false;
    const answer = await gsv.call('proc.history', { ...aboutPlace(asked), ...page });
    if (!answer.ok || place() !== asked) return false;
    const generation = transcript().rows[0]?.generation ?? 0;
    const rows = answer.messages.map((message) => fromHistory(message, generation));
    batch(() => {
      for (const row of rows) if (row.toolCallId !== undefined) setResults(row.toolCallId, row);
      setTranscript((held) => withOlder(held, rows));
    });
    return rows.length > 0;
  };

  return {
    ready: view.ready,
    items,
    rows: () => transcript().rows,
    result: (callId) => results[callId],
    soFar: (callId) => printed[callId] ?? '',
    pending: (callId) => calls().get(callId),
    run,
    hil,
    last: single<LastRow>('last'),
    context: single<ContextRow>('context'),
    queue,
    live,
    olderCount: () => olderCount(transcript()),
    loadOlder: () => {
      loading ??= fetchOlder().finally(() => {
        loading = null;
      });
      return loading;
    },
  };
}

/** What stands below the stored messages: the answer being written, and the question for approval. */
function createEnding(
  hil: Accessor<HilRow | null>,
  live: Accessor<readonly LiveBlock[]>,
): Accessor<readonly Item[]> {
  const writing = createMemo(() => live().length > 0);
  const liveItem: Item = { kind: 'live', key: 'live' };
  const request = createMemo(() => hil()?.requestId ?? null);
  const approval = createMemo((): Item[] =>
    request() === null ? [] : [{ kind: 'approval', key: `hil.${request()}` }],
  );
  return createMemo(() => [...(writing() ? [liveItem] : []), ...approval()]);
}

type OnCall = {
  outcome(callId: string, outcome: CallOutcome): void;
  printed(callId: string, text: string): void;
};

/** What comes by signals: the streamed text, as a signal that changes at most once per frame, and news of calls. */
function createLive(gsv: Gsv, place: Accessor<Place>, partial: Accessor<PartialRow | null>, onCall: OnCall) {
  const stream = new LiveStream();
  const [version, setVersion] = createSignal(0);
  let frame = 0;
  const changed = (): void => {
    if (frame !== 0) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      setVersion((count) => count + 1);
    });
  };
  const stop = gsv.onSignal((signal, payload) => {
    const { pid, conversationId } = place();
    if (payload.pid !== pid || (payload.conversationId ?? conversationId) !== conversationId) return;
    if (signal === 'proc.run.finished') {
      const { runId } = payload as { runId: string };
      setTimeout(() => {
        stream.drop(runId);
        changed();
      }, FINISHED_MS);
    } else if (signal === 'proc.run.tool.finished') {
      const { callId, ok, output, error } = payload as {
        callId: string;
        ok: boolean;
        output?: string;
        error?: string;
      };
      onCall.outcome(callId, {
        content: [{ type: 'text', text: String(output ?? error ?? '') }],
        isError: !ok,
      });
    } else if (signal === 'proc.run.tool.output') {
      const { callId, text } = payload as { callId: string; text: string };
      onCall.printed(callId, text);
    } else if (signal === 'proc.run.stream') {
      const { runId, turn, event } = payload as { runId: string; turn: number; event: ModelDelta };
      stream.take(runId, turn, event);
      changed();
    }
  });
  onCleanup(() => {
    stop();
    cancelAnimationFrame(frame);
  });
  const bump = (): void => {
    setVersion((count) => count + 1);
  };
  return {
    live: createMemo(() => {
      version();
      return stream.blocks(partial());
    }),
    stored(runId: string): void {
      stream.stored(runId);
      bump();
    },
    clear(): void {
      stream.clear();
      bump();
    },
  };
}

function byKey<Row>(rows: ReadonlyMap<string, Value>, prefix: string): Row[] {
  const keys = [...rows.keys()].filter((key) => key.startsWith(prefix)).sort();
  return keys.map((key) => rows.get(key) as unknown as Row);
}

/** What waits, as it will be read. */
function inOrder(rows: ReadonlyMap<string, Value>): QueueRow[] {
  const keys = [...rows.keys()].filter((key) => key.startsWith('q:')).sort();
  const ranked = keys.map((key) => {
    const row = rows.get(key) as unknown as QueueRow;
    return { row, rank: row.rank ?? (Number.parseInt(key.slice('q:'.length), 10) || 0) };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ row }) => row);
}

function sameRows(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((row, place) => row === b[place]);
}
