import type {
  AssistantBlock,
  ModelDelta,
  ModelMessage,
  ModelOutcome,
  ModelRequest,
  Models,
  Usage,
} from '../../../shared/kernel/ports/models.ts';
import { Dice, hashOf } from '../engine/dice.ts';
import type { Life } from '../engine/life.ts';
import { DEVICE } from './driver-node.ts';
import type { Witness } from './witness.ts';

/** The longest that an answer takes. */
const LONGEST_MS = 6_000;
const usage: Usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, cost: 0.001 };

export const HOME = '/home/ada';

export type SimModelsParts = { replica: string; seed: number; life: Life; witness: Witness };

/** A language model that answers by the seed and by what it is asked, after a while. */
export class SimModels implements Models {
  readonly #parts: SimModelsParts;

  constructor(parts: SimModelsParts) {
    this.#parts = parts;
  }

  async generate(request: ModelRequest, onDelta: (delta: ModelDelta) => void): Promise<ModelOutcome> {
    const { replica, seed, life, witness } = this.#parts;
    witness.asked(replica, request.affinity);
    const dice = new Dice(hashOf(seed, 'model', witness.acts.length, cause(request.messages)));
    await this.#think(dice.below(LONGEST_MS), request.signal);
    if (request.signal.aborted) return { kind: 'aborted', partial: [], usage: null };
    if (life.over) return { kind: 'aborted', partial: [], usage: null };
    return this.#answer(dice, request, onDelta);
  }

  async list() {
    return [{ id: 'one', name: 'One' }];
  }

  async describe() {
    return { contextWindow: 100_000, maxTokens: 4_000 };
  }

  relayed(): boolean {
    return false;
  }

  #answer(dice: Dice, request: ModelRequest, onDelta: (delta: ModelDelta) => void): ModelOutcome {
    const form = dice.weighted({ says: 5, calls: 6, failsForNow: 0.5, fails: 0.5 });
    if (form === 'failsForNow' || form === 'fails') {
      const retryable = form === 'failsForNow';
      return { kind: 'failed', error: 'the provider is ill', retryable, partial: [], usage: null };
    }
    const talk = `answer ${this.#token('says', true)}`;
    for (const word of talk.split(' ')) onDelta({ type: 'text_delta', contentIndex: 0, delta: `${word} ` });
    const said: AssistantBlock = { type: 'text', text: talk };
    // A run ends in time: the longer it is, the likelier.
    if (form === 'says' || dice.chance(turnsOf(request.messages) / 6)) {
      return { kind: 'message', content: [said], usage, stop: 'stop' };
    }
    const calls = Array.from(
      { length: dice.weighted({ 1: 5, 2: 2, 3: 1 }) === '1' ? 1 : dice.between(2, 3) },
      () => this.#call(dice),
    );
    return { kind: 'message', content: [said, ...calls], usage, stop: 'toolUse' };
  }

  #call(dice: Dice): AssistantBlock {
    const tool = dice.weighted({
      shell: 5,
      write: 2,
      nativeWrite: 2,
      nativeEdit: 1,
      read: 1,
      risky: 1,
      nonsense: 0.2,
    });
    const native = tool === 'nativeWrite' || tool === 'nativeEdit';
    const made = (name: string, args: Record<string, unknown>): AssistantBlock => ({
      type: 'toolCall',
      id: '',
      name,
      arguments: args,
    });
    if (tool === 'read') return made('Read', { target: DEVICE, path: '/etc/hostname' });
    const token = this.#token(tool, native);
    if (tool === 'shell') return made('Shell', { target: DEVICE, input: `ls ${token}` });
    if (tool === 'risky') return made('Shell', { target: DEVICE, input: `rm -rf ${token}` });
    if (tool === 'write') return made('Write', { target: DEVICE, path: `/work/${token}`, content: token });
    if (tool === 'nativeWrite') {
      return made('Write', { target: 'gsv', path: `${HOME}/agent/${token}.txt`, content: token });
    }
    if (tool === 'nativeEdit') {
      const path = `${HOME}/ledger.txt`;
      return made('Edit', { target: 'gsv', path, oldString: 'END', newString: `${token}\nEND` });
    }
    return made('Dance', { with: token });
  }

  /** Unique in a run of the simulation; where it turns up later shows what became of this. */
  #token(tool: string, native: boolean): string {
    const { witness } = this.#parts;
    const token = `t${witness.toolCalls.length}x${hashOf(this.#parts.seed, witness.toolCalls.length).toString(36)}`;
    witness.toolCalls.push({ token, tool, native });
    return token;
  }

  #think(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.life.clock().after(ms, resolve);
      const stop = (): void => {
        cancel();
        resolve();
      };
      signal.addEventListener('abort', stop, { once: true });
    });
  }
}

function cause(messages: readonly ModelMessage[]): string {
  const last = messages.at(-1);
  const [block] = last?.content ?? [];
  return block?.type === 'text' ? block.text : String(messages.length);
}

/** Model messages since the last word of the user. */
function turnsOf(messages: readonly ModelMessage[]): number {
  const since = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(since + 1).filter(({ role }) => role === 'assistant').length;
}
