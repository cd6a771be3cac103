import type {
  AssistantBlock,
  ModelDelta,
  ModelMessage,
  ModelOutcome,
  ModelRequest,
  Models,
  Usage,
} from '../../../shared/kernel/ports/models.ts';
import { pause } from '../../../shared/std/pause.ts';
import { Dice, hashOf } from '../engine/dice.ts';
import type { Life } from '../engine/life.ts';
import { DEVICE } from './driver-node.ts';
import type { Witness } from './witness.ts';

/** The longest that an answer takes. */
const LONGEST_MS = 6_000;
const UUID_LENGTH = 36;
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
    witness.asked(replica, request.affinity, runOf(request.messages));
    const wrong = outOfOrder(request.messages);
    if (wrong !== undefined) witness.malformed.push(`a model on ${replica} was given ${wrong}`);
    const dice = new Dice(hashOf(seed, 'model', cause(request.messages), this.#asked(request)));
    await pause(life.clock(), dice.below(LONGEST_MS), request.signal);
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
    const talk = `answer ${this.#token(dice, 'says', true)}`;
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
    const token = this.#token(dice, tool, native);
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

  /** How often this was asked before, by anybody. */
  #asked({ messages }: ModelRequest): number {
    const { requests } = this.#parts.witness;
    const last = cause(messages);
    const times = requests.get(last) ?? 0;
    requests.set(last, times + 1);
    return times;
  }

  /** Unique in a run of the simulation; where it turns up later shows what became of this. */
  #token(dice: Dice, tool: string, native: boolean): string {
    const { toolCalls } = this.#parts.witness;
    const token = `t${dice.below(0x4000_0000).toString(36)}q`;
    if (toolCalls.some((call) => call.token === token)) return this.#token(dice, tool, native);
    toolCalls.push({ token, tool, native });
    return token;
  }
}

/** Ids of tool calls that a model left empty begin with the run. */
function runOf(messages: readonly ModelMessage[]): string | undefined {
  const last = messages.at(-1);
  return last?.role === 'toolResult' ? last.toolCallId.slice(0, UUID_LENGTH) : undefined;
}

/** Providers refuse a conversation in which a message's tool calls are not followed at once by their results. */
function outOfOrder(messages: readonly ModelMessage[]): string | undefined {
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'toolResult') {
      if (!open.delete(message.toolCallId)) return `a result of ${message.toolCallId} out of place`;
      continue;
    }
    if (open.size > 0) return `no result of ${[...open].join(', ')}`;
    const blocks = message.role === 'assistant' ? message.content : [];
    open = new Set(blocks.flatMap((block) => (block.type === 'toolCall' ? [block.id] : [])));
  }
  return open.size > 0 ? `no result of ${[...open].join(', ')}` : undefined;
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
