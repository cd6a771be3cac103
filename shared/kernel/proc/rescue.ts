import type * as Y from 'yjs';
import {
  type ArchivedRow,
  type CallRow,
  LogRow,
  type MessageRow,
  type RunRow,
} from '../../state/conversation.ts';
import { Table } from '../../state/table.ts';
import { leftMessages } from './left-messages.ts';
import { callsIn } from './log-rows.ts';
import type { MessageLog, NewMessage } from './message-log.ts';
import type { RunState } from './run-state.ts';

export type RescueParts = {
  /** The conversation's state. */
  doc: Y.Doc;
  /** This replica's number. */
  writer: number;
  /** This replica's run: one of an older generation ends in that of now. */
  own: RunState;
  /** The generation of now. */
  log: MessageLog;
  open(generation: number): MessageLog;
  /** What the reset that ended a generation had archived. */
  known(generation: number): ArchivedRow;
  /** These were brought to the generation of now, where another replica may have brought them, too. */
  brought(rows: readonly MessageRow[]): void;
  /** Leaves calls of the run to the replica that it was taken from. */
  keepOnly(run: RunRow, calls: readonly CallRow[]): void;
};

/**
 * A reset elsewhere archived what its replica knew. What this one had appended beyond that goes, as it is, to the
 * generation of now; its counts of older ones are gone afterwards, in the same write. Its run ends there: of the calls whose
 * message is nowhere to be had, the results are for whoever made them.
 */
export async function rescue(parts: RescueParts): Promise<void> {
  const { doc, writer, own, log, open, known, brought, keepOnly } = parts;
  const counts = new Table(doc, 'log', LogRow);
  const older = (): string[] => counts.keys().filter((key) => isOlder(key, writer, log.generation));
  const run = own.run.get();
  const cutOff = run && run.generation < log.generation ? run : undefined;
  if (older().length === 0 && !cutOff) return;
  // This kernel may have done so before it was killed, and have sent it.
  await log.ready([]);
  const keys = older();
  const calls = new Set(cutOff?.calls.map(({ callId }) => callId));
  const generations = new Set([...keys.map(generationOf), ...(cutOff ? [cutOff.generation] : [])]);
  const messages: NewMessage[] = [];
  for (const generation of [...generations].sort((a, b) => a - b)) {
    const old = open(generation);
    const mine = generation === cutOff?.generation ? calls : NO_CALLS;
    const left = await leftMessages({ old, writer, known: known(generation), calls: mine });
    messages.push(...left.map(({ id: _id, generation: _old, ...message }) => message));
    void old.close();
  }
  await log.ready(messages);
  const rows = log.append(messages, () => {
    for (const key of keys) counts.delete(key);
    const now = own.run.get();
    if (!now || now.generation >= log.generation) return;
    const made = new Set(messages.flatMap(callsIn));
    const kept = now.calls.filter(({ callId }) => made.has(callId));
    if (kept.length < now.calls.length) keepOnly(now, kept);
    own.run.set({ ...now, calls: kept, generation: log.generation, reset: true });
  });
  if (rows.length > 0) brought(rows);
}

/** The furthest generation in which this replica has written. */
export function newestGeneration(doc: Y.Doc, writer: number): number {
  const own = new Table(doc, 'log', LogRow).keys().filter((key) => Number(key.split('/')[2]) === writer);
  return Math.max(0, ...own.map(generationOf));
}

const NO_CALLS: ReadonlySet<string> = new Set();
const generationOf = (key: string): number => Number(key.split('/')[0]);

function isOlder(key: string, writer: number, generation: number): boolean {
  return generationOf(key) < generation && Number(key.split('/')[2]) === writer;
}
