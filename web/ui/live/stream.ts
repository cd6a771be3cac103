import type { ModelDelta, StreamEvent } from '../../../shared/kernel/ports/models.ts';
import type { PartialRow } from '../../../shared/state/conversation.ts';

/** One block of an answer that is being written. */
export type LiveBlock = { kind: 'text' | 'thinking' | 'toolcall'; text: string; done: boolean };
type Turn = { runId: string; turn: number; blocks: Map<number, LiveBlock>; fromStart: boolean };

/** The deltas of `proc.run.stream` as they come, for one process. Not reactive: the page reads it once per frame. */
export class LiveStream {
  #turns: Turn[] = [];

  take(runId: string, turn: number, delta: StreamEvent): void {
    // How a generation ended is told by what is stored of it.
    if (delta.type === 'done' || delta.type === 'error') return;
    const { blocks } = this.#turn(runId, turn, delta);
    if (delta.type === 'start') {
      blocks.clear();
      return;
    }
    const [kind, phase] = delta.type.split('_') as [LiveBlock['kind'], 'start' | 'delta' | 'end'];
    if (phase === 'start') blocks.set(delta.contentIndex, { kind, text: '', done: false });
    const block = blocks.get(delta.contentIndex) ?? { kind, text: '', done: false };
    if (phase === 'end') blocks.set(delta.contentIndex, { ...block, done: true });
    if ('delta' in delta) blocks.set(delta.contentIndex, { ...block, text: block.text + delta.delta });
  }

  /** An assistant message of the run was stored: it takes the place of the oldest turn that is still shown. */
  stored(runId: string): void {
    const place = this.#turns.findIndex((turn) => turn.runId === runId);
    if (place >= 0) this.#turns.splice(place, 1);
  }

  /** Forgets what a run had streamed and did not store. */
  drop(runId: string): void {
    this.#turns = this.#turns.filter((turn) => turn.runId !== runId);
  }

  clear(): void {
    this.#turns = [];
  }

  /** What to show. `partial` fills in what was streamed before this page looked. */
  blocks(partial: PartialRow | null): LiveBlock[] {
    const turn = this.#turns.at(-1);
    const late =
      partial !== null &&
      (turn === undefined || (turn.runId === partial.runId && turn.turn === partial.turn));
    if (late && (turn === undefined || !turn.fromStart)) return lateBlocks(partial, turn);
    if (turn === undefined) return [];
    return [...turn.blocks.entries()].sort(([a], [b]) => a - b).map(([, block]) => block);
  }

  #turn(runId: string, number: number, delta: ModelDelta): Turn {
    const known = this.#turns.find((turn) => turn.runId === runId && turn.turn === number);
    const fromStart = delta.type === 'start' || (delta.contentIndex === 0 && delta.type.endsWith('_start'));
    if (known !== undefined) {
      known.fromStart ||= fromStart;
      return known;
    }
    const turn: Turn = { runId, turn: number, blocks: new Map(), fromStart };
    this.#turns.push(turn);
    return turn;
  }
}

function lateBlocks(partial: PartialRow, turn: Turn | undefined): LiveBlock[] {
  const heard = (kind: LiveBlock['kind']): string =>
    [...(turn?.blocks.values() ?? [])]
      .filter((block) => block.kind === kind)
      .map((block) => block.text)
      .join('');
  const thinking = joinLate(partial.thinking, heard('thinking'));
  const text = joinLate(partial.text, heard('text'));
  const blocks: LiveBlock[] = [];
  if (thinking !== '') blocks.push({ kind: 'thinking', text: thinking, done: text !== '' });
  if (text !== '') blocks.push({ kind: 'text', text, done: false });
  return blocks;
}

/** Shorter overlaps happen by accident. */
const SMALLEST_OVERLAP = 8;

/**
 * A checkpoint, and what was heard since this page looked. Once a checkpoint reaches into what was heard, the two are
 * joined there; until then only the checkpoint is known to be without a gap.
 */
export function joinLate(checkpoint: string, heard: string): string {
  if (heard.includes(checkpoint) && checkpoint.length >= SMALLEST_OVERLAP) return heard;
  for (let size = Math.min(heard.length, checkpoint.length); size >= SMALLEST_OVERLAP; size -= 1) {
    if (checkpoint.endsWith(heard.slice(0, size))) return checkpoint + heard.slice(size);
  }
  return checkpoint;
}
