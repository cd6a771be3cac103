import type { ModelDelta } from '../../../shared/kernel/ports/models.ts';
import { SyscallError } from '../../../shared/protocol/errors.ts';
import type { ByteStream } from '../../../shared/protocol/streams.ts';
import { type MessageRow, messageKey, type RunRow } from '../../../shared/state/conversation.ts';
import type { Args, Result, SyscallName } from '../../../shared/syscalls/table.ts';
import type { Attachment, CallOptions, Gsv, SignalListener, ViewArgs } from '../../../web/client/gsv.ts';
import { answerOf } from './answers.ts';
import type { Row, Scene } from './scenes.ts';
import { acceptInvite, bytesOf, drain } from './sharing.ts';

type Watch = { args: ViewArgs; onRows: (rows: ReadonlyMap<string, Row>, total: number) => void };
type Call = { name: SyscallName; args: unknown };

/**
 * A kernel that is only a script: rows by view, answers by syscall, and hands for tests to move it (`put`, `stream`,
 * `lose`). It is for looking at the page and testing the page alone; the real one is tested end to end.
 */
export class ScriptedGsv implements Gsv {
  readonly calls: Call[] = [];
  readonly scene: Scene;
  /** How long an invitation works, and whether a run is given away without force; for tests to set. */
  inviteMs = 600_000;
  takeover: 'granted' | 'refused' = 'granted';
  /** Calls that are never answered. */
  readonly held: ReadonlySet<string>;
  copyRemoved = false;
  /** Bytes that came with the calls, by the number of the call. */
  readonly received: number[] = [];
  readonly #watches = new Set<Watch>();
  readonly #signals = new Set<SignalListener>();
  readonly #attachments = new Set<(attachment: Attachment, reason: string) => void>();

  constructor(scene: Scene, held: readonly string[] = []) {
    this.scene = scene;
    this.held = new Set(held);
  }

  async call<Name extends SyscallName>(
    name: Name,
    args: Args<Name>,
    options: CallOptions = {},
  ): Promise<Result<Name>> {
    return (await this.open(name, args, options)).result;
  }

  async open<Name extends SyscallName>(
    name: Name,
    args: Args<Name>,
    options: CallOptions = {},
  ): Promise<{ result: Result<Name>; bytes: ByteStream | undefined }> {
    this.calls.push({ name, args });
    if (this.held.has(name)) await new Promise(() => {});
    if (options.bytes !== undefined) this.received.push(await drain(options.bytes));
    const answer: unknown = answerOf(this, name, args);
    if (answer === undefined) throw new SyscallError(404, `The script has no answer to ${name}`);
    return { result: answer as Result<Name>, bytes: bytesOf(name) };
  }

  async acceptInvite(secret: string, onProgress: (text: string) => void): Promise<void> {
    this.calls.push({ name: 'sys.join', args: { secret } });
    await acceptInvite(secret, onProgress);
    this.scene.session = 'signed-in';
  }

  async signIn(_username: string, password: string): Promise<void> {
    if (password === 'wrong') throw new SyscallError(401, 'Authentication failed');
    this.scene.session = 'signed-in';
  }

  async signOut(): Promise<void> {}

  async unlock(): Promise<void> {}

  async removeLocked(): Promise<void> {}

  async setup(args: Args<'sys.setup'>): Promise<Result<'sys.setup'>> {
    this.calls.push({ name: 'sys.setup', args });
    const { username } = args;
    const user = {
      uid: 1000,
      gid: 100,
      gids: [100],
      username,
      home: `/home/${username}`,
      cwd: `/home/${username}`,
      workspaceId: null,
    };
    return { user, rootLocked: args.rootPassword === undefined };
  }

  async session(): Promise<'setup' | 'signed-out' | 'signed-in'> {
    return this.scene.session;
  }

  onSignal(listener: SignalListener): () => void {
    this.#signals.add(listener);
    return () => this.#signals.delete(listener);
  }

  watch(args: ViewArgs, onRows: Watch['onRows']): () => void {
    const watch = { args, onRows };
    this.#watches.add(watch);
    queueMicrotask(() => this.#show(watch));
    return () => this.#watches.delete(watch);
  }

  onAttachment(listener: (attachment: Attachment, reason: string) => void): () => void {
    this.#attachments.add(listener);
    queueMicrotask(() => listener('attached', ''));
    return () => this.#attachments.delete(listener);
  }

  lose(attachment: Attachment, reason: string): void {
    for (const listener of this.#attachments) listener(attachment, reason);
  }

  emit(signal: string, payload: Record<string, unknown>): void {
    for (const listener of this.#signals) listener(signal, payload);
  }

  /** Changes rows of a view; null removes one. */
  put(view: string, changes: Record<string, Row | null>): void {
    const rows = this.scene.views[view] ?? new Map<string, Row>();
    this.scene.views[view] = new Map(rows);
    for (const [key, row] of Object.entries(changes)) {
      if (row === null) this.scene.views[view].delete(key);
      else this.scene.views[view].set(key, row);
    }
    for (const watch of this.#watches) if (viewKey(watch.args) === view) this.#show(watch);
  }

  /** Begins a run of the process whose answer is streamed in pieces; resolves when it is stored. */
  async stream(pid: string, pieces: readonly string[], everyMs: number): Promise<void> {
    const view = `conversation ${pid}`;
    const runId = `run-${Math.random().toString(36).slice(2, 8)}`;
    const emit = (event: ModelDelta, seq: number): void =>
      this.emit('proc.run.stream', { pid, runId, conversationId: 'c', seq, turn: 1, event });
    this.put(view, { run: { ...idleRun, runId, startedAt: Date.now() } });
    emit({ type: 'text_start', contentIndex: 0 }, 0);
    for (const [place, delta] of pieces.entries()) {
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      emit({ type: 'text_delta', contentIndex: 0, delta }, place + 1);
    }
    this.append(pid, {
      role: 'assistant',
      content: [{ type: 'text', text: pieces.join('') }],
      runId,
      usage: { input: 900, output: 120, cacheRead: 0, cacheWrite: 0, cost: 0.004 },
      model: 'claude-sonnet',
    });
    this.put(view, { run: null });
    this.emit('proc.run.finished', { pid, runId, status: 'ok', text: '' });
  }

  /** Stores one more message. */
  append(pid: string, message: Omit<MessageRow, 'id' | 'generation' | 'timestamp'>): void {
    const all = this.scene.messages[pid] ?? [];
    const row: MessageRow = {
      id: (all.at(-1)?.id ?? 0) + 1,
      generation: 0,
      timestamp: Date.now(),
      ...message,
    };
    this.scene.messages[pid] = [...all, row];
    this.put(`conversation ${pid}`, { [messageKey(row.id)]: row });
  }

  #show({ args, onRows }: Watch): void {
    const rows = new Map(this.scene.views[viewKey(args)] ?? []);
    if (args.view !== 'conversation') {
      onRows(rows, rows.size);
      return;
    }
    const messages = this.scene.messages[args.pid ?? ''] ?? [];
    for (const row of messages.slice(-(args.tail ?? 200))) rows.set(messageKey(row.id), row);
    onRows(rows, messages.length);
  }
}

function viewKey(args: ViewArgs): string {
  return args.view === 'conversation' ? `conversation ${args.pid}` : args.view;
}

const idleRun: RunRow = {
  runId: '',
  owner: 'r-here',
  epoch: null,
  generation: 0,
  startedAt: 0,
  phase: 'generating',
  turns: 1,
  repeated: { signature: '', count: 0 },
  usage: { input: 14_200, output: 1_100, cacheRead: 0, cacheWrite: 0, cost: 0.07 },
  provider: 'anthropic',
  model: 'claude-sonnet',
  calls: [],
};
