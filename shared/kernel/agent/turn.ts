import type { PartialRow, Usage } from '../../state/conversation.ts';
import type { Clock } from '../../std/clock.ts';
import { pause } from '../../std/pause.ts';
import type { Random } from '../../std/random.ts';
import type { AssistantBlock, ModelDelta, ModelOutcome, ModelRequest, Models } from '../ports/models.ts';
import { StreamBatch } from './stream-batch.ts';

/** Waits before each retry of a generation, in milliseconds; up to a quarter is added by chance. */
const RETRY_MS = [1_000, 4_000, 15_000];
/** A page that opens in the middle of a message begins with what was stored this long ago at most. */
const CHECKPOINT_MS = 3_000;

export type TurnParts = {
  models: Models;
  clock: Clock;
  random: Random;
  /** A delta to show. `seq` counts from 0 in each run. Must not throw. */
  onDelta(delta: ModelDelta): void;
  /** What a model waits for before it answers. Must not throw. */
  onStatus(text: string): void;
  /** Somebody else is asked when the provider cannot be reached: it is not tried again. */
  hasNext?: boolean;
  /** Whether it may be asked again at this moment. Must not throw. */
  mayRetry?: () => boolean;
  /** A generation is tried again after `inMs`. Must not throw. */
  onRetry(error: string, inMs: number): void;
  checkpoint(partial: Pick<PartialRow, 'text' | 'thinking'>): void;
};

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };

export function addUsage(a: Usage, b: Usage | null): Usage {
  if (!b) return a;
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    cost: a.cost + b.cost,
  };
}

/** Tokens that the provider counted in what it was sent; null when it did not say, or was not heard to the end. */
export function readTokens({ kind, usage }: ModelOutcome): number | null {
  if (kind !== 'message' || !usage) return null;
  return usage.input + usage.cacheRead + usage.cacheWrite || null;
}

/** `lapsed`: it was neither answered nor stopped, but might not be tried again. */
export type Generated = ModelOutcome & { lapsed?: boolean };

/**
 * One model call, tried again with back-off while the failure may pass. No tool has run yet from a message that did
 * not arrive whole, so trying again repeats no effect. Never rejects. Usage of failed tries is counted too.
 */
export async function generate(parts: TurnParts, request: ModelRequest): Promise<Generated> {
  let spent: Usage = noUsage;
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await generateOnce(parts, request);
    spent = addUsage(spent, outcome.usage);
    const wait = RETRY_MS[attempt];
    const goesOn = outcome.kind === 'failed' && outcome.unreachable && parts.hasNext;
    if (outcome.kind !== 'failed' || !outcome.retryable || wait === undefined || goesOn)
      return { ...outcome, usage: spent };
    const jitter = 1 + ((parts.random.bytes(1)[0] ?? 0) / 255) * 0.25;
    parts.onRetry(outcome.error, Math.round(wait * jitter));
    await pause(parts.clock, wait * jitter, request.signal);
    if (request.signal.aborted || parts.mayRetry?.() === false)
      return { kind: 'aborted', partial: [], usage: spent, lapsed: !request.signal.aborted };
  }
}

async function generateOnce(parts: TurnParts, request: ModelRequest): Promise<ModelOutcome> {
  const batch = new StreamBatch(parts.clock, (delta) => parts.onDelta(delta));
  const soFar = { text: '', thinking: '' };
  let stored = parts.clock.now();
  parts.onDelta({ type: 'start' });
  const onDelta = (delta: ModelDelta): void => {
    batch.push(delta);
    if (delta.type === 'start') Object.assign(soFar, { text: '', thinking: '' });
    if (delta.type === 'text_delta') soFar.text += delta.delta;
    if (delta.type === 'thinking_delta') soFar.thinking += delta.delta;
    if (parts.clock.now() - stored < CHECKPOINT_MS) return;
    stored = parts.clock.now();
    parts.checkpoint({ ...soFar });
  };
  const outcome = await parts.models.generate(request, onDelta, (text) => parts.onStatus(text));
  batch.flush();
  return outcome;
}

export const textOf = (blocks: readonly AssistantBlock[]): string =>
  blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
export const thinkingOf = (blocks: readonly AssistantBlock[]): string =>
  blocks.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])).join('');
