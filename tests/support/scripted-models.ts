import { ASK_TITLE } from '../../shared/kernel/agent/title.ts';
import type {
  AssistantBlock,
  ModelDelta,
  ModelOutcome,
  ModelRequest,
  Models,
  Usage,
} from '../../shared/kernel/ports/models.ts';
import { deferred } from '../../shared/std/deferred.ts';

/** What a model answers; what it says meanwhile goes to `onDelta`. */
export type Script = (
  request: ModelRequest,
  turn: number,
  onDelta?: (delta: ModelDelta) => void,
) => ModelOutcome | Promise<ModelOutcome>;

const usage: Usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, cost: 0.001 };

export const says = (text: string): ModelOutcome => ({
  kind: 'message',
  content: [{ type: 'text', text }],
  usage,
  stop: 'stop',
});

export function calls(...made: { name: string; args: Record<string, unknown>; id?: string }[]): ModelOutcome {
  const content = made.map(
    ({ name, args, id }, at): AssistantBlock => ({
      type: 'toolCall',
      id: id ?? `call-${at}`,
      name,
      arguments: args,
    }),
  );
  return { kind: 'message', content, usage, stop: 'toolUse' };
}

export const fails = (error: string, retryable: boolean): ModelOutcome => ({
  kind: 'failed',
  error,
  retryable,
  partial: [],
  usage: null,
});

/** A language model that answers by a script; the only thing scripted in kernel tests. */
export class ScriptedModels implements Models {
  readonly requests: ModelRequest[] = [];
  script: Script;
  /** Whether the script is asked for titles, too. */
  titles = false;
  /** `describe`, which every run begins with, waits for it. */
  described: Promise<void> = Promise.resolve();

  constructor(script: Script) {
    this.script = script;
  }

  async generate(request: ModelRequest, onDelta: (delta: ModelDelta) => void): Promise<ModelOutcome> {
    // Asked for by itself, some time after a run: a script would take it for the next turn.
    if (request.system === ASK_TITLE && !this.titles) return fails('no title', false);
    this.requests.push(request);
    const stopped = deferred<ModelOutcome>();
    const stop = (): void => stopped.resolve({ kind: 'aborted', partial: [], usage: null });
    request.signal.addEventListener('abort', stop, { once: true });
    const answer = this.script(request, this.requests.length - 1, onDelta);
    const outcome = await Promise.race([answer, stopped.promise]);
    request.signal.removeEventListener('abort', stop);
    if (outcome.kind === 'message') {
      for (const [index, block] of outcome.content.entries()) {
        if (block.type === 'text') onDelta({ type: 'text_delta', contentIndex: index, delta: block.text });
      }
    }
    return outcome;
  }

  async list() {
    return [{ id: 'scripted', name: 'Scripted' }];
  }

  /** What it says it takes. */
  input: ('text' | 'image')[] = ['text', 'image'];

  async describe() {
    await this.described;
    return { contextWindow: 100_000, maxTokens: 4_000, input: this.input };
  }

  relayed(): boolean {
    return false;
  }
}
