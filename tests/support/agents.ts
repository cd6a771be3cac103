import type { ModelOutcome, ModelRequest } from '../../shared/kernel/ports/models.ts';
import { lines } from './history.ts';
import { TestKernel, type TestPage, type TestWorld } from './kernel.ts';
import { calls, says } from './scripted-models.ts';

export const HOME = 'init:1000';
type Answer = ModelOutcome | Promise<ModelOutcome>;
/** What one process says to the last thing it was told; `asked` counts from 0. */
export type Agent = (told: string, asked: number, request: ModelRequest) => Answer;

/** A command in the native shell. */
export const shell = (input: string, id = 'shell'): ModelOutcome =>
  calls({ name: 'Shell', args: { target: 'gsv', input }, id });

/** The text of the last message that a model was sent. */
export function toldOf({ messages }: ModelRequest): string {
  const last = messages.at(-1);
  if (!last || last.role === 'assistant') return '';
  return last.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** A kernel whose processes each have a script of their own, by pid; `other` is for those that have none. */
export class Agents {
  readonly kernel: TestKernel;
  readonly scripts = new Map<string, Agent>();
  readonly #asked = new Map<string, number>();
  other: Agent = () => says('ok');
  page!: TestPage;

  constructor(world: TestWorld = {}) {
    this.kernel = new TestKernel((request) => this.answer(request), world);
  }

  answer(request: ModelRequest): Answer {
    const pid = request.affinity ?? '';
    const asked = this.#asked.get(pid) ?? 0;
    this.#asked.set(pid, asked + 1);
    return (this.scripts.get(pid) ?? this.other)(toldOf(request), asked, request);
  }

  /** Signed in, with nothing to approve. */
  async ready(): Promise<this> {
    this.page = await this.kernel.ready();
    await this.page.call('sys.config.set', {
      key: 'users/1000/ai/tools/approval',
      value: '{"default":"auto","rules":[]}',
    });
    return this;
  }

  async restart(): Promise<void> {
    this.page = await this.kernel.restart();
  }

  async spawn(label: string, script: Agent): Promise<string> {
    const made = await this.page.call('proc.spawn', { profile: 'task', label });
    if (!made.ok) throw new Error(made.error);
    this.scripts.set(made.pid, script);
    return made.pid;
  }

  async lines(pid = HOME): Promise<string[]> {
    const read = await this.page.call('proc.history', { pid, limit: 1000 });
    return read.ok ? lines(read.messages) : [];
  }

  /** The events that a process was told, without their common beginning. */
  async events(pid = HOME): Promise<string[]> {
    const beginning = 'user: [Process Event]: ';
    return (await this.lines(pid)).flatMap((line) =>
      line.startsWith(beginning) ? [line.slice(beginning.length)] : [],
    );
  }
}
