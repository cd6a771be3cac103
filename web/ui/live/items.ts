import { isLocal } from '../../../shared/kernel/local/engine-names.ts';
import type { ToolCallBlock, Usage } from '../../../shared/kernel/ports/models.ts';
import type { MessageRow } from '../../../shared/state/conversation.ts';

/** What the log shows, one list entry each. An unchanged message keeps its items' identity. */
export type Item =
  | { kind: 'user'; key: string; row: MessageRow }
  | { kind: 'event'; key: string; row: MessageRow }
  | { kind: 'answer'; key: string; row: MessageRow; text: string }
  | { kind: 'thinking'; key: string; text: string }
  | { kind: 'call'; key: string; call: ToolCallBlock; runId: string | null }
  | { kind: 'note'; key: string; row: MessageRow }
  | { kind: 'cost'; key: string; cost: RunCost }
  | { kind: 'approval'; key: string }
  | { kind: 'live'; key: string };

export type RunCost = {
  runId: string;
  usage: Usage;
  /** Null when what is here does not say when it began: a run that was tried again begins with no message. */
  durationMs: number | null;
  endedAt: number;
  model: string | null;
  /** Models of this device alone answered: that costs nothing. */
  free: boolean;
};

export type ItemCache = WeakMap<MessageRow, Item[]>;

/** The items of one message; made once for each row object. */
export function itemsOf(row: MessageRow, cache: ItemCache): Item[] {
  const known = cache.get(row);
  if (known !== undefined) return known;
  const made = makeItems(row);
  cache.set(row, made);
  return made;
}

function makeItems(row: MessageRow): Item[] {
  const key = `m${row.generation}.${row.id}`;
  if (row.role === 'user') return [{ kind: row.origin ?? 'user', key, row }];
  if (row.role === 'system') return [{ kind: 'note', key, row }];
  if (row.role === 'toolResult') return [];
  return row.content.flatMap((block, place): Item[] => {
    const itemKey = `${key}.${place}`;
    if (block.type === 'toolCall') return [{ kind: 'call', key: itemKey, call: block, runId: row.runId }];
    if (block.type === 'thinking')
      return block.thinking.trim() === '' ? [] : [{ kind: 'thinking', key: itemKey, text: block.thinking }];
    if (block.type === 'text' && block.text.trim() !== '')
      return [{ kind: 'answer', key: itemKey, row, text: block.text }];
    return [];
  });
}

const nothing: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };

/**
 * All items of a transcript, with a line of cost after each run that has ended. `activeRunId` is the run that goes on.
 * `costs` keeps cost items across calls, so that an unchanged line keeps its identity.
 */
export function transcriptItems(
  rows: readonly MessageRow[],
  activeRunId: string | null,
  cache: ItemCache,
  costs: Map<string, Extract<Item, { kind: 'cost' }>>,
): Item[] {
  const items: Item[] = [];
  let run: MessageRow[] = [];
  const endRun = (): void => {
    const cost = costLine(run, activeRunId, costs);
    if (cost !== null) items.push(cost);
    run = [];
  };
  for (const row of rows) {
    if (run[0] !== undefined && run[0].runId !== row.runId) endRun();
    if (row.runId !== null) run.push(row);
    const before = items.at(-1);
    const own = itemsOf(row, cache);
    if (!goesOn(before, own[0])) items.push(...own);
    else items.splice(-1, 1, ...joined(before, own, row, cache));
  }
  endRun();
  return items;
}

type AnswerItem = Extract<Item, { kind: 'answer' }>;

/** Whether an answer that was cut goes on in the next message; it is one answer then. */
function goesOn(before: Item | undefined, next: Item | undefined): before is AnswerItem {
  if (before?.kind !== 'answer' || next?.kind !== 'answer') return false;
  return before.row.stop === 'length' && before.row.runId !== null && before.row.runId === next.row.runId;
}

function joined(before: AnswerItem, [next, ...rest]: Item[], row: MessageRow, cache: ItemCache): Item[] {
  if (next?.kind !== 'answer' || next.key === before.key) return next ? [next, ...rest] : [];
  const items = [{ ...next, key: before.key, text: before.text + next.text }, ...rest];
  cache.set(row, items);
  return items;
}

function costLine(
  run: readonly MessageRow[],
  activeRunId: string | null,
  costs: Map<string, Extract<Item, { kind: 'cost' }>>,
): Extract<Item, { kind: 'cost' }> | null {
  const last = run.at(-1);
  if (last === undefined || last.runId === null || last.runId === activeRunId) return null;
  const cost = runCost(last.runId, run);
  if (cost === null) return null;
  const known = costs.get(cost.runId);
  if (
    known !== undefined &&
    known.cost.endedAt === cost.endedAt &&
    known.cost.usage.output === cost.usage.output
  )
    return known;
  const item = { kind: 'cost', key: `cost.${cost.runId}`, cost } as const;
  costs.set(cost.runId, item);
  return item;
}

/** Null when no model answered in the run, or none reported what it used. */
export function runCost(runId: string, run: readonly MessageRow[]): RunCost | null {
  const answers = run.filter((row) => row.role === 'assistant');
  const usage = answers.reduce((sum, row) => addUsage(sum, row.usage ?? nothing), nothing);
  const first = run[0];
  const last = run.at(-1);
  if (first === undefined || last === undefined || usage.input + usage.output === 0) return null;
  const endedAt = last.timestamp;
  return {
    runId,
    usage,
    durationMs: first.role === 'user' ? Math.max(0, endedAt - first.timestamp) : null,
    endedAt,
    model: answers.at(-1)?.model ?? null,
    free: isFree(answers),
  };
}

/** Whether models of this device alone have said these messages. */
export function isFree(answers: readonly Pick<MessageRow, 'provider'>[]): boolean {
  return answers.length > 0 && answers.every(({ provider = '' }) => isLocal(provider));
}

function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    cost: a.cost + b.cost,
  };
}
