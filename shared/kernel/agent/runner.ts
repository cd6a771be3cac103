import type { CallRow, MessageRow, QueueRow, RunRow } from '../../state/conversation.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import { unlessAborted } from '../../std/unless-aborted.ts';
import { reachedWords } from '../budget/budgets.ts';
import type { Spending } from '../budget/spending.ts';
import type { Reason } from '../local/chain.ts';
import type { AssistantBlock, ModelOutcome, Models, StreamEvent, ToolCallBlock } from '../ports/models.ts';
import type { Conversation } from '../proc/conversation.ts';
import type { NewMessage } from '../proc/message-log.ts';
import { contextState, estimateTokens, type WindowedHistory } from './context-window.ts';
import { ANSWER_CUT, contextAfter, goesOn, windowFor } from './cut-answer.ts';
import { isFree, switchWords } from './next-model.ts';
import { type Compaction, preflight, type Room } from './preflight.ts';
import { madeCalls, REPEAT_STOPS } from './run-calls.ts';
import { type Ended, type Ending, type Final, failed, type LastStep, type RunEnding } from './run-ending.ts';
import {
  afterTools,
  describeCalls,
  endOf,
  fromQueue,
  note,
  resultMessage,
  stoppedNote,
  withOwnIds,
} from './run-rows.ts';
import type { RunSetup } from './run-setup.ts';
import { summarise } from './summarise.ts';
import { type ToolCallParts, ToolCalls } from './tool-calls.ts';
import { failure } from './tool-result.ts';
import { addUsage, generate, readTokens, textOf, thinkingOf } from './turn.ts';

export type RunnerParts = Omit<ToolCallParts, 'conversation' | 'mayGoOn'> & {
  conversation: Conversation;
  pid: string;
  conversationId: string;
  models: Models;
  clock: Clock;
  random: Random;
  /** Rejects with a sentence for the user when no model can be asked. */
  prepare(instead?: Reason): Promise<RunSetup>;
  spending: Spending;
  onStep(activity: string | null): void;
  /** A run has ended. Called in the write of its end: what this queues is on disk with it. */
  ended(ending: RunEnding): void;
  compaction: Compaction;
};

/**
 * One run of a conversation, from its stored row to its end. It reads what to do next from storage alone, so that
 * a run cut off anywhere goes on from there.
 */
export class Runner {
  readonly #parts: RunnerParts;
  readonly #abort = new AbortController();
  readonly #calls: ToolCalls;
  #seq = 0;
  #taken = false;
  /** It was said that it could not be compacted. */
  #unfit = false;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    const emit = (signal: string, payload: Record<string, unknown>): void => this.#emit(signal, payload);
    const mayGoOn = (): Promise<boolean> => this.#mayGoOn();
    this.#calls = new ToolCalls({ ...parts, emit, mayGoOn }, this.#abort.signal);
  }

  stop(): void {
    this.#abort.abort();
  }

  /** Another replica has taken the run over: it ends here, and goes on there. */
  taken(): void {
    this.#taken = true;
    this.#abort.abort();
  }

  answer(requestId: string, approve: boolean): boolean {
    return this.#calls.answer(requestId, approve);
  }

  /** Resolves when the run is over and its end is on disk. Rejects only when storage does. */
  async finish(): Promise<void> {
    const ending = await this.#toItsEnd().catch((thrown) =>
      failed(thrown instanceof Error ? thrown.message : 'The run failed', this.#parts.clock.now()),
    );
    if (this.#taken || ending.status === 'taken') await this.#leave();
    else await this.#end(ending);
  }

  async #toItsEnd(): Promise<Final> {
    if (!(await this.#mayGoOn())) return this.#aborted();
    let setup = await this.#prepare();
    while (setup) {
      const ending = await this.#step(setup);
      if (ending && ending.status !== 'next') return ending;
      if (ending) setup = await this.#prepare(ending.instead);
    }
    return this.#aborted();
  }

  /** The run's row and its messages say which model answers. Undefined when the run was stopped meanwhile. */
  async #prepare(instead?: Reason): Promise<RunSetup | undefined> {
    const setup = await unlessAborted(this.#parts.prepare(instead), this.#abort.signal);
    if (!setup) return undefined;
    const { provider, model } = setup.choice;
    this.#parts.conversation.own.run.set({ ...this.#run, provider, model });
    if (!instead) return setup;
    const { clock } = this.#parts;
    await this.#append([note('event', switchWords(instead, model), clock.now(), this.#run.runId)], this.#run);
    return { ...setup, instead, fallbacks: [] };
  }

  get #run(): RunRow {
    const run = this.#parts.conversation.own.run.get();
    if (!run) throw new Error('The run is gone');
    return run;
  }

  async #step(setup: RunSetup): Promise<Ending | null> {
    if (this.#abort.signal.aborted || !(await this.#mayGoOn())) return this.#aborted();
    if (this.#run.phase === 'tools') return this.#runTools(setup);
    const limit = this.#overLimit(setup);
    return limit ?? this.#askModel(setup);
  }

  /** Waits for the lease where one is needed. False when the run is stopped or goes on elsewhere. */
  async #mayGoOn(): Promise<boolean> {
    const { guard, onStep } = this.#parts;
    if (guard.now() !== undefined) return true;
    const answer = await guard.ready(this.#abort.signal, onStep);
    if (answer === 'taken') this.taken();
    return answer === 'go';
  }

  #overLimit(setup: RunSetup): Ending | null {
    const { turns, repeated } = this.#run;
    if (turns >= setup.maxTurns)
      return this.#limited(`Stopped after ${turns} model calls, the limit for one run.`);
    const budgets = this.#parts.spending.reached(this.#run);
    if (budgets.length > 0 && setup.fallbacks.includes('budget'))
      return { status: 'next', instead: 'budget' };
    if (budgets.length > 0 && !isFree(setup, budgets))
      return this.#limited(reachedWords(budgets), { budgets });
    if (repeated.count >= REPEAT_STOPS)
      return this.#limited('Stopped: the model kept repeating one identical call.');
    return null;
  }

  #limited(text: string, why: Pick<NewMessage, 'budgets'> = {}): Ended {
    return {
      status: 'error',
      text: '',
      error: text,
      note: { ...note('limit', text, this.#parts.clock.now(), this.#run.runId), ...why },
    };
  }

  #aborted(): Final {
    if (this.#taken) return { status: 'taken' };
    return { status: 'aborted', text: '', note: stoppedNote(this.#run, this.#parts.clock.now()) };
  }

  async #askModel(setup: RunSetup): Promise<Ending | null> {
    const { conversation, models, clock, random } = this.#parts;
    this.#parts.onStep('thinking');
    const toolTokens = estimateTokens(JSON.stringify(setup.tools).length);
    const { system, home, skills } = setup.prompt.tokens;
    const whole = setup.contextWindow - setup.maxTokens;
    const window = windowFor(this.#run, conversation.context.get(), whole);
    const history = await this.#preflight(setup, { window, prompt: toolTokens + system + home + skills });
    if (typeof history === 'string') return this.#limited(history);
    // Making it ready may have taken longer than the lease lasted, in a frozen browser any time.
    if (this.#abort.signal.aborted || this.#parts.guard.now() === undefined) return null;
    const parts = { system, home, skills, tools: toolTokens, history: history.tokens };
    const run = this.#run;
    const outcome = await generate(
      {
        models,
        clock,
        random,
        hasNext: setup.fallbacks.includes('offline'),
        onDelta: (event) => this.#stream(event),
        onStatus: (text) => this.#parts.onStep(text),
        mayRetry: () => this.#parts.guard.now() !== undefined,
        onRetry: (error, inMs) => this.#parts.onStep(`trying again in ${Math.ceil(inMs / 1000)} s: ${error}`),
        checkpoint: (partial) =>
          conversation.own.partial.set({ runId: run.runId, turn: run.turns, ...partial }),
      },
      {
        choice: setup.choice,
        system: setup.prompt.text,
        messages: history.messages,
        tools: setup.tools,
        maxTokens: setup.maxTokens,
        affinity: this.#parts.pid,
        signal: this.#abort.signal,
      },
    );
    // Another may have the run by now, or have written: this one looks anew once it may go on.
    if (outcome.lapsed) return this.#spent(setup, outcome);
    const measured = contextState(parts, whole, readTokens(outcome));
    const context = contextAfter(measured, outcome, setup.maxTokens);
    this.#stream(endOf(outcome));
    // The model may have taken longer than the lease lasted: what it said belongs to whoever has the run now.
    if (!(await this.#mayGoOn()) && this.#taken) return this.#aborted();
    if (outcome.kind === 'failed' && outcome.unreachable && setup.fallbacks.includes('offline'))
      return { status: 'next', instead: 'offline' };
    return this.#take(setup, outcome, () => {
      conversation.context.set(context);
      this.#parts.spending.count(setup.choice, outcome.usage);
    });
  }

  /** Counts what was used for nothing. */
  #spent({ choice }: RunSetup, { usage }: ModelOutcome): null {
    const { own } = this.#parts.conversation;
    own.run.set({ ...this.#run, usage: addUsage(this.#run.usage, usage) });
    this.#parts.spending.count(choice, usage);
    return null;
  }

  #preflight({ choice, seesImages }: RunSetup, room: Room): Promise<WindowedHistory | string> {
    const { conversation, clock } = this.#parts;
    const onFailure = async (text: string): Promise<void> => {
      if (this.#unfit || this.#abort.signal.aborted) return;
      await conversation.append([note('event', text, clock.now(), this.#run.runId)]);
      this.#unfit = true;
    };
    const summary = (rows: readonly MessageRow[]): Promise<string> =>
      summarise(this.#parts, choice, rows, this.#abort.signal);
    return preflight({ ...this.#parts, seesImages, summarise: summary, onFailure }, room);
  }

  #stream(event: StreamEvent): void {
    this.#emit('proc.run.stream', { seq: this.#seq++, turn: this.#run.turns, event });
  }

  /** `also` is written with what the model said. */
  async #take(setup: RunSetup, outcome: ModelOutcome, also: () => void): Promise<Ending | null> {
    const run = this.#run;
    const next: RunRow = { ...run, turns: run.turns + 1, usage: addUsage(run.usage, outcome.usage) };
    const { provider, model } = setup.choice;
    const message = (content: AssistantBlock[], stop: MessageRow['stop']): NewMessage => ({
      role: 'assistant',
      content,
      timestamp: this.#parts.clock.now(),
      runId: run.runId,
      provider,
      model,
      usage: outcome.usage,
      ...(stop ? { stop } : {}),
    });
    if (outcome.kind !== 'message') {
      const said = outcome.partial.filter((block) => block.type !== 'toolCall');
      const stop = outcome.kind === 'aborted' ? 'aborted' : 'error';
      await this.#append(said.length > 0 ? [message(said, stop)] : [], next, also);
      return outcome.kind === 'aborted'
        ? this.#aborted()
        : failed(outcome.error, this.#parts.clock.now(), run.runId);
    }
    const content = withOwnIds(outcome.content, `${run.runId}-${this.#turnOf(run)}`);
    const calls = content.filter((block) => block.type === 'toolCall');
    this.#emit('proc.run.output', { text: textOf(content), thinking: thinkingOf(content) });
    if (calls.length === 0) {
      const cut = outcome.stop === 'length';
      return this.#answered(content, cut, { messages: [message(content, outcome.stop)], run: next, also });
    }
    await this.#append(
      [message(content, 'toolUse')],
      this.#withCalls(next, calls, outcome.stop === 'length'),
      also,
    );
    return null;
  }

  /** An answer that was cut is gone on with, once; then its person decides. */
  async #answered(content: AssistantBlock[], cut: boolean, step: LastStep): Promise<Ended | null> {
    const text = `${step.run.cut ?? ''}${textOf(content)}`;
    if (!cut) return { status: 'ok', text, step };
    if (!goesOn(step.run, content)) return { ...this.#limited(ANSWER_CUT), text, step };
    await this.#append(step.messages, { ...step.run, cut: text }, step.also);
    return null;
  }

  /** A turn of this replica: one that another asked for too, because it had not heard of it, has other calls. */
  #turnOf({ turns }: RunRow): string {
    return `${turns}.${this.#parts.conversation.self.index}`;
  }

  #withCalls({ cut: _over, ...run }: RunRow, blocks: ToolCallBlock[], cut: boolean): RunRow {
    const prefix = `${this.#parts.pid}:${run.runId}:${this.#turnOf(run)}`;
    const { calls, repeated, refused } = madeCalls(blocks, run.repeated, prefix, cut);
    for (const [id, error] of refused) this.#parts.conversation.own.setResult(id, failure(error));
    return { ...run, phase: 'tools', repeated, calls };
  }

  async #runTools(setup: RunSetup): Promise<Ending | null> {
    const { guard, conversation } = this.#parts;
    this.#parts.onStep(describeCalls(this.#run.calls));
    await this.#calls.settleAll();
    const stopped = this.#abort.signal.aborted || !(await this.#mayGoOn());
    if (this.#taken) return this.#aborted();
    // Queued messages join here, at the boundary of the tool results (spec/agent-loop, "Queueing and Abort").
    const joins = (row: QueueRow): boolean => row.mode !== 'queue' && guard.mayTake(row);
    const joined = stopped ? [] : conversation.queue.rows().filter(joins);
    const results = this.#run.calls.map((call) => this.#resultMessage(call));
    const users = joined
      .filter(({ messageId }) => !conversation.delivered.get(messageId)?.begun)
      .map((queued) => fromQueue(queued, this.#run.runId));
    const next = afterTools(this.#run, joined);
    await this.#append([...results, ...users], next, () => {
      conversation.own.hil.clear();
      for (const call of this.#run.calls) conversation.own.dropResult(call.callId);
      for (const queued of joined) conversation.queue.take(queued.messageId);
    });
    // The next step need not wait for the disk: they are written in order. The end of a run writes for itself.
    if (!stopped) void conversation.flush().catch(() => {});
    const queuedCount = conversation.queue.rows().length;
    if (joined.length > 0) this.#emit('proc.changed', { changes: ['messages', 'queue'], queuedCount });
    return stopped ? this.#aborted() : this.#overLimit(setup);
  }

  #resultMessage(call: CallRow): NewMessage {
    const { conversation, clock } = this.#parts;
    return resultMessage(call, conversation.own.result(call.callId), this.#run.runId, clock.now());
  }

  async #append(messages: NewMessage[], next: RunRow, also: () => void = () => {}): Promise<void> {
    const { conversation } = this.#parts;
    await conversation.append(messages, () => {
      also();
      // A reset elsewhere may have come in between.
      const { generation, reset = false } = conversation.own.run.get() ?? next;
      conversation.own.run.set({ ...next, generation, ...(reset ? { reset } : {}) });
      conversation.own.partial.clear();
    });
  }

  async #end(ending: Ended): Promise<void> {
    const { conversation, clock } = this.#parts;
    const run = ending.step?.run ?? conversation.own.run.get();
    if (!run) return;
    const { runId, usage, startedAt, turns } = run;
    const said = ending.step?.messages ?? [];
    const notes = ending.note ? [{ ...ending.note, runId }] : [];
    // It may end before its tools do: while it waits for its lease, or when it cannot be prepared.
    const results = run.phase === 'tools' ? run.calls.map((call) => this.#resultMessage(call)) : [];
    await conversation.append([...said, ...results, ...notes], () => {
      ending.step?.also();
      conversation.own.clear();
      conversation.last.set({
        runId,
        status: ending.status,
        usage,
        startedAt,
        finishedAt: clock.now(),
        turns,
      });
      const { status, text, error } = ending;
      this.#parts.ended({ runId, status, text, usage, conversation, ...(error ? { error } : {}) });
    });
    this.#parts.onStep(null);
    const unstored: unknown = await conversation.flush().then(
      () => null,
      (thrown) => thrown,
    );
    this.#emit('proc.run.finished', {
      runId,
      status: ending.status,
      text: ending.text,
      usage,
      queuedCount: conversation.queue.rows().length,
      ...(ending.error ? { error: ending.error } : {}),
      ...(ending.status === 'aborted' ? { aborted: true } : {}),
    });
    if (unstored !== null) throw unstored;
  }

  /** What is left of the run here goes; its end will be told by who has it. */
  async #leave(): Promise<void> {
    const { conversation, clock } = this.#parts;
    const run = conversation.own.run.get();
    if (!run) return;
    const gone = note('event', 'This run went on in another browser.', clock.now(), run.runId);
    const results = conversation.leftBehind(run).map((call) => this.#resultMessage(call));
    await conversation.append([...results, gone], () => conversation.own.clear());
    this.#parts.onStep(null);
    const queuedCount = conversation.queue.rows().length;
    this.#parts.emit('proc.changed', { changes: ['messages'], queuedCount });
    await conversation.flush();
  }

  #emit(signal: string, payload: Record<string, unknown>): void {
    const runId = this.#parts.conversation.own.run.get()?.runId ?? null;
    this.#parts.emit(signal, { runId, ...payload });
  }
}
