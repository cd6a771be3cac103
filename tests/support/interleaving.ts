import type { ModelOutcome, ModelRequest } from '../../shared/kernel/ports/models.ts';
import { SyscallError } from '../../shared/protocol/errors.ts';
import { DEFAULT_CONVERSATION } from '../../shared/state/conversation-names.ts';
import type { Args, Result, SyscallName } from '../../shared/syscalls/table.ts';
import { archived } from './archives.ts';
import { problems } from './history.ts';
import type { TestKernel, TestPage } from './kernel.ts';
import type { ManualClock } from './manual-clock.ts';
import { refusals } from './provider-rules.ts';
import { calls, fails, says } from './scripted-models.ts';
import { turn, turns } from './turns.ts';

type Pick = (below: number) => number;
export type InterleavingParts = {
  kernel: TestKernel;
  page: TestPage;
  clock: ManualClock;
  pick: Pick;
  /** For what the model answers: it is asked at no certain time. */
  pickForModel: Pick;
};
/** A message that was taken. `at`: how many steps had been begun when its answer came. */
type Taken = { text: string; conversation: string; at: number; removed: boolean };
/** What waits, as a view shows it. */
type Queued = { messageId: string; text: string };
/** A reset or kill that was told to keep nothing. `until`: as `Taken.at`, when it was over. */
type Drop = { conversation: string | null; until: number };

const TOOLS = [
  { name: 'Read', args: { target: 'gsv', path: '/etc/passwd' } },
  { name: 'Write', args: { target: 'gsv', path: '~/noted', content: 'x' } },
  { name: 'Delete', args: { target: 'gsv', path: '~/noted' } },
  { name: 'Shell', args: { target: 'gsv', input: 'rm -rf ~/nothing' } },
  { name: 'Nothing', args: {} },
];
const MOST_ROUNDS = 400;

/**
 * One process of a real kernel to which everything that can be done to a conversation is done in an order that follows
 * from numbers, before, while and after its runs go on; and what must be true of it whatever the order was.
 */
export class Interleaving {
  readonly #kernel: TestKernel;
  readonly #clock: ManualClock;
  readonly #pick: Pick;
  readonly #pickForModel: Pick;
  readonly #going = new Map<Promise<unknown>, string>();
  readonly #taken: Taken[] = [];
  readonly #drops: Drop[] = [];
  readonly #conversations = [DEFAULT_CONVERSATION];
  /** What was done, for whoever reads of a failure. */
  readonly log: string[] = [];
  #page: TestPage;
  #pid = '';
  #killed = false;
  /** What was archived may have been forgotten in the middle: it is there once more then. */
  #crashed = false;
  #steps = 0;

  constructor({ kernel, page, clock, pick, pickForModel }: InterleavingParts) {
    this.#kernel = kernel;
    this.#page = page;
    this.#clock = clock;
    this.#pick = pick;
    this.#pickForModel = pickForModel;
    kernel.models.script = (request) => this.#answer(request);
  }

  get page(): TestPage {
    return this.#page;
  }

  async run(steps: number): Promise<void> {
    const spawned = await this.#ask('proc.spawn', { profile: 'task' });
    this.#pid = spawned?.ok ? spawned.pid : '';
    await this.#send();
    for (; this.#steps < steps && !this.#killed; this.#steps += 1) {
      this.#clock.jump(1);
      await this.#begin();
      await this.#turns(this.#pick(5));
      if (this.#pick(4) === 0) await this.#answered();
    }
    await this.#answered();
    await this.#rest();
  }

  /** What is not as it must be, in words. */
  async problems(): Promise<string[]> {
    const found = this.#kernel.models.requests.flatMap((request) => refusals(request));
    const kept = await this.#kept();
    for (const conversation of this.#killed ? [] : this.#conversations) {
      const read = await this.#page.call('proc.history', {
        pid: this.#pid,
        conversationId: conversation,
        limit: 1000,
      });
      if (!read.ok) continue;
      found.push(...problems(read.messages).map((problem) => `${conversation}: ${problem}`));
      kept.push(...textsOf(read.messages).map((text) => ({ conversation, text })));
    }
    for (const { text, conversation, at, removed } of this.#taken) {
      const times = kept.filter((one) => one.conversation === conversation && one.text === text).length;
      const dropped = this.#drops.some(
        (drop) => (drop.conversation ?? conversation) === conversation && at <= drop.until,
      );
      if (times > 1 && !this.#crashed) found.push(`${text} is in ${conversation} ${times} times`);
      if (times === 1 && removed) found.push(`${text} was taken back and is in ${conversation}`);
      if (times === 0 && !removed && !dropped) found.push(`${text} is lost from ${conversation}`);
    }
    return found;
  }

  /** Ends the process. */
  async end(): Promise<void> {
    if (!this.#killed) await this.#page.call('proc.kill', { pid: this.#pid, archive: false });
    this.#kernel.models.requests.length = 0;
  }

  async #begin(): Promise<void> {
    const kind = this.#pick(40);
    if (kind < 14) this.#go('send', () => this.#send());
    else if (kind < 17) this.#go('abort', () => this.#ask('proc.abort', this.#about()));
    else if (kind < 22) this.#go('decide', () => this.#decide());
    else if (kind < 26) this.#go('compact', () => this.#compact());
    else if (kind < 29) this.#go('fork', () => this.#fork());
    else if (kind < 31) this.#go('reset', () => this.#reset());
    else if (kind < 32) this.#go('reset all', () => this.#ask('proc.reset', { pid: this.#pid }));
    else if (kind < 34) this.#go('retry', () => this.#ask('proc.retry', this.#about()));
    else if (kind < 36) this.#go('take back', () => this.#takeBack());
    else if (kind < 37) this.#go('time', () => this.#clock.advance(20_000));
    else if (kind < 39) await this.#crash();
    else if (this.#steps > 6) this.#go('kill', () => this.#kill());
  }

  #go(what: string, step: () => Promise<unknown>): void {
    this.log.push(what);
    const { life } = this.#kernel;
    const refused = (thrown: unknown): void => {
      if (!(thrown instanceof SyscallError)) throw thrown;
    };
    const going = Promise.race([step().catch(refused), life.over]).finally(() => this.#going.delete(going));
    this.#going.set(going, what);
  }

  /** Resolves when every call is answered. */
  async #answered(): Promise<void> {
    for (let round = 0; this.#going.size > 0; round += 1) {
      if (round > MOST_ROUNDS) throw new Error(`never answered: ${[...this.#going.values()].join(', ')}`);
      await turns(8);
      if (round > 4) await this.#clock.advance(1_000);
    }
  }

  /** Undefined when the kernel was killed before it answered. */
  #ask<Name extends SyscallName>(name: Name, args: Args<Name>): Promise<Result<Name> | undefined> {
    const { life } = this.#kernel;
    return Promise.race([this.#page.call(name, args), life.over.then(() => undefined)]);
  }

  #about() {
    return { pid: this.#pid, conversationId: this.#conversation() };
  }

  #conversation(): string {
    return this.#conversations[this.#pick(this.#conversations.length)] ?? DEFAULT_CONVERSATION;
  }

  async #send(): Promise<void> {
    const about = this.#about();
    const text = `token ${this.#taken.length} of step ${this.#steps} (${this.#pick(1e9)})`;
    const mode = (['queue', 'steer', 'interrupt'] as const)[this.#pick(3)] ?? 'steer';
    this.log.push(`  ${mode} ${text} in ${about.conversationId}`);
    const sent = await this.#ask('proc.send', { ...about, message: text, mode });
    if (sent?.ok)
      this.#taken.push({ text, conversation: about.conversationId, at: this.#steps, removed: false });
  }

  async #decide(): Promise<void> {
    const about = this.#about();
    const decision = this.#pick(2) === 0 ? 'approve' : 'deny';
    const { requestId } = await this.#open(about.conversationId);
    if (requestId) await this.#ask('proc.hil', { ...about, requestId, decision });
  }

  async #compact(): Promise<void> {
    const how = this.#pick(3) === 0 ? { generateSummary: true } : { summary: 'what was said' };
    await this.#ask('proc.conversation.compact', { ...this.#about(), keepLast: this.#pick(6), ...how });
  }

  async #fork(): Promise<void> {
    const about = this.#about();
    const at = this.#pick(12);
    const targetConversationId = `fork-${this.#steps}`;
    const read = await this.#ask('proc.history', { ...about, limit: 1000 });
    const message = read?.ok ? read.messages[at % read.messages.length] : undefined;
    if (!message || this.#conversations.length > 3) return;
    const forked = await this.#ask('proc.conversation.fork', {
      ...about,
      throughMessageId: message.id,
      targetConversationId,
    });
    if (forked?.ok) this.#conversations.push(targetConversationId);
  }

  async #reset(): Promise<void> {
    const about = this.#about();
    const archive = this.#pick(3) > 0;
    this.log.push(`  of ${about.conversationId}, archive ${archive}`);
    await this.#ask('proc.conversation.reset', { ...about, archive });
    if (!archive) this.#drops.push({ conversation: about.conversationId, until: this.#steps });
  }

  async #takeBack(): Promise<void> {
    const about = this.#about();
    const at = this.#pick(4);
    const { queue } = await this.#open(about.conversationId);
    const queued = queue[at % queue.length];
    if (!queued) return;
    const removed = await this.#ask('proc.queue.remove', { ...about, messageId: queued.messageId });
    const taken = this.#taken.find(({ text }) => text === queued.text);
    if (taken && removed?.ok && removed.removed) taken.removed = true;
  }

  async #kill(): Promise<void> {
    const archive = this.#pick(2) === 0;
    const killed = await this.#ask('proc.kill', { pid: this.#pid, archive });
    this.#killed = killed?.ok === true;
    if (!archive) this.#drops.push({ conversation: null, until: Number.POSITIVE_INFINITY });
  }

  async #crash(): Promise<void> {
    this.log.push('crash');
    this.#crashed = true;
    this.#kernel.kill();
    await this.#kernel.boot();
    this.#page = await this.#kernel.signedIn();
  }

  async #answer(request: ModelRequest): Promise<ModelOutcome> {
    await this.#turns(this.#pickForModel(12));
    if (request.tools.length === 0) return says('a summary');
    const kind = this.#pickForModel(10);
    if (kind === 0) return fails('it does not work', this.#pickForModel(2) === 0);
    if (kind < 5) return says(`an answer (${this.#pickForModel(1e9)})`);
    const made = Array.from(
      { length: 1 + this.#pickForModel(3) },
      () => TOOLS[this.#pickForModel(TOOLS.length)],
    );
    return calls(...made.flatMap((call) => call ?? []));
  }

  /** Lets what goes on go on; the person denies what they are asked. */
  async #rest(): Promise<void> {
    for (let round = 0; !this.#killed; round += 1) {
      const { processes } = await this.#page.call('proc.list', {});
      const own = processes.find(({ pid }) => pid === this.#pid);
      const open = await Promise.all(this.#conversations.map((id) => this.#open(id)));
      const queued = open.flatMap(({ queue }) => queue).length;
      if (own && own.state !== 'running' && own.state !== 'waiting' && queued === 0) return;
      if (round > MOST_ROUNDS) throw new Error(`it does not rest: ${own?.state}, ${queued} queued`);
      for (const { requestId } of open)
        if (requestId) await this.#page.call('proc.hil', { pid: this.#pid, requestId, decision: 'deny' });
      await this.#clock.advance(1_000);
    }
  }

  /** What waits in a conversation, and what it asks. */
  async #open(conversationId: string): Promise<{ queue: Queued[]; requestId: string | undefined }> {
    const view = await this.#ask('view.open', {
      view: 'conversation',
      pid: this.#pid,
      conversationId,
      tail: 1,
    });
    const rows = view?.rows ?? [];
    if (view) await this.#ask('view.close', { viewId: view.viewId });
    const queue = rows.flatMap(({ key, value }) => (key.startsWith('q:') ? [value as Queued] : []));
    return { queue, requestId: rows.find(({ key }) => key === 'hil')?.value.requestId as string | undefined };
  }

  /** Texts in the archives of the process, by conversation. */
  async #kept(): Promise<{ conversation: string; text: string }[]> {
    const top = `/var/sessions/ada/${this.#pid}`;
    const kept: { conversation: string; text: string }[] = [];
    for (const path of await this.#files(top)) {
      const [, below = ''] = path.split(`${top}/`);
      const parts = below.split('/');
      const conversation = parts[0] === 'conversations' ? parts[1] : parts[1]?.split('.gen-')[0];
      for (const { role, content } of await archived(this.#page, path))
        if (role === 'user') kept.push({ conversation: conversation ?? '', text: content[0]?.text ?? '' });
    }
    return kept;
  }

  async #files(directory: string): Promise<string[]> {
    const read = await this.#page.call('fs.read', { path: directory });
    if (!('directories' in read)) return [];
    const below = await Promise.all(read.directories.map((name) => this.#files(`${directory}/${name}`)));
    const own = read.files.filter((name) => name.endsWith('.jsonl.gz')).map((name) => `${directory}/${name}`);
    return [...own, ...below.flat()];
  }

  async #turns(count: number): Promise<void> {
    for (let left = count; left > 0; left -= 1) await turn();
  }
}

function textsOf(messages: Extract<Result<'proc.history'>, { ok: true }>['messages']): string[] {
  return messages.flatMap(({ role, content }) => {
    const [block] = Array.isArray(content) ? (content as { text?: string }[]) : [];
    return role === 'user' ? [block?.text ?? ''] : [];
  });
}
