import { isActive } from '../../state/active.ts';
import { DEFAULT_CONVERSATION } from '../../state/conversation-names.ts';
import type { ProcessRow, ProcessStateRow, SystemTables } from '../../state/system.ts';
import type { Self } from './surroundings.ts';

/**
 * With what right a replica says what goes on in a process: as the one that has it, cut off from who may have it, or while
 * another has it.
 */
export type Standing = { kind: 'holder'; epoch: number } | { kind: 'apart' } | { kind: 'guest' };
/** What goes on in a conversation, or went on last. */
export type ConversationState = Pick<
  ProcessStateRow,
  'state' | 'runId' | 'queuedCount' | 'generation' | 'messageCount' | 'updatedAt'
>;
/** What a conversation says of its run. */
export type Saying = Partial<Pick<ConversationState, 'state' | 'runId' | 'updatedAt'>>;
type Place = Pick<ProcessStateRow, 'pid' | 'conversationId'>;
type Said = Place & Partial<ConversationState>;
type Known = Map<string, ProcessStateRow>;

const NOTHING: ConversationState = { state: 'idle', queuedCount: 0, generation: 0, updatedAt: 0 };
/** What needs a person comes before what goes on, and that before what does not. */
const urgency = ({ state }: Pick<ProcessRow, 'state'>): number =>
  state === 'waiting' ? 2 : isActive(state) ? 1 : 0;
const goesOn = ({ state }: ProcessStateRow): boolean => isActive(state);

/**
 * What goes on in processes. Each replica says it in rows of its own, so that nobody overwrites what another said; here
 * they are joined. A row is to a run what the run's own row is in its conversation: its owner writes it, and whoever takes
 * the run over, or ends it by a reset, under the lease, takes it away. Where nothing goes on the word of the highest epoch
 * counts: whoever has a process, or is cut off, speaks above all that it has heard.
 */
export class ProcessStates {
  readonly #tables: Pick<SystemTables, 'processes' | 'conversations' | 'processStates'>;
  readonly #self: Pick<Self, 'index'>;
  /** By process, as they are now; made when it is first asked for. */
  #known: Map<string, Known> | null = null;
  readonly #listeners = new Set<(rows: ProcessStateRow[]) => void>();

  constructor(
    tables: Pick<SystemTables, 'processes' | 'conversations' | 'processStates'>,
    self: Pick<Self, 'index'>,
  ) {
    this.#tables = tables;
    this.#self = self;
    tables.processStates.observe((keys) => {
      const rows = [...keys].flatMap((key) => this.#learn(this.#read(), key) ?? []);
      for (const listener of this.#listeners) listener(rows);
    });
  }

  /** A process as it is: its row, with what goes on in it. */
  joined(row: ProcessRow): ProcessRow {
    const said = this.#read().get(row.pid);
    if (row.state === 'killed' || !said) return row;
    const own = this.#stateOf(row.pid, DEFAULT_CONVERSATION) ?? row;
    const ids = new Set(Array.from(said.values(), ({ conversationId }) => conversationId));
    ids.delete(DEFAULT_CONVERSATION);
    const all = [own, ...[...ids].flatMap((id) => this.#stateOf(row.pid, id) ?? [])];
    const [newest = own] = all.sort((a, b) => urgency(b) - urgency(a) || b.updatedAt - a.updatedAt);
    return {
      ...row,
      state: newest.state,
      queuedCount: all.reduce((sum, { queuedCount }) => sum + queuedCount, 0),
      generation: own.generation,
      updatedAt: Math.max(row.updatedAt, ...all.map(({ updatedAt }) => updatedAt)),
    };
  }

  /** As its rows say; undefined when none does, and what an older version wrote counts. */
  of(pid: string, conversationId: string): ConversationState | undefined {
    return this.#stateOf(pid, conversationId);
  }

  /** Conversations in which something goes on, or went on when a replica was last heard of. */
  active(): ProcessStateRow[] {
    return this.#tables.processStates.rows().filter(goesOn);
  }

  /** As `active`, of one process. */
  activeIn(pid: string): ProcessStateRow[] {
    return this.#rowsOf(pid).filter(goesOn);
  }

  /** What this replica said last. */
  own(pid: string, conversationId: string): ProcessStateRow | undefined {
    return this.#tables.processStates.get(keyOf({ pid, conversationId }, this.#self.index));
  }

  /** Says what goes on here, in the eyes of this replica. What is left out stays as it is. */
  say(said: Said, standing: Standing): void {
    const { pid, conversationId } = said;
    const own = this.own(pid, conversationId);
    const known = this.#stateOf(pid, conversationId) ?? NOTHING;
    // What goes on elsewhere is for others to say.
    const resting = isActive(known.state) ? 'idle' : known.state;
    const { runId, ...row } = { ...known, state: own && goesOn(own) ? own.state : resting, ...said };
    const run = isActive(row.state) && runId !== undefined ? { runId } : {};
    const epoch = this.#epochOf(said, standing);
    const { index: writer } = this.#self;
    this.#tables.processStates.put(keyOf(said, writer), { ...row, ...run, writer, epoch });
  }

  /** Takes away what other replicas said of a run that is not theirs any more. */
  takeBack({ pid, conversationId }: Place, runId: string): void {
    for (const row of this.activeIn(pid)) {
      const same = row.conversationId === conversationId && row.runId === runId;
      if (same && row.writer !== this.#self.index) this.#tables.processStates.delete(keyOf(row, row.writer));
    }
  }

  /** Forgets all that was said of a process. */
  forget(pid: string): void {
    for (const row of this.#rowsOf(pid)) this.#tables.processStates.delete(keyOf(row, row.writer));
  }

  /** Calls back with what was said anew, and with what was taken back, as it was. The returned function ends it. */
  observe(changed: (rows: ProcessStateRow[]) => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }

  #stateOf(pid: string, conversationId: string): ProcessStateRow | undefined {
    const rows = this.#rowsOf(pid).filter((row) => row.conversationId === conversationId);
    const [first, ...others] = rows;
    if (!first) return undefined;
    const counts = others.reduce((one, other) => (countsMore(other, one) ? other : one), first);
    return { ...counts, generation: Math.max(...rows.map(({ generation }) => generation)) };
  }

  #epochOf(place: Place, standing: Standing): number {
    const own = this.own(place.pid, place.conversationId)?.epoch ?? 0;
    if (standing.kind === 'guest') return own;
    const others = this.#rowsOf(place.pid).filter(
      ({ conversationId, writer }) => conversationId === place.conversationId && writer !== this.#self.index,
    );
    const heard = Math.max(-1, ...others.map(({ epoch }) => epoch));
    return Math.max(own, heard + 1, standing.kind === 'holder' ? standing.epoch : 0);
  }

  #rowsOf(pid: string): ProcessStateRow[] {
    return [...(this.#read().get(pid)?.values() ?? [])];
  }

  #read(): Map<string, Known> {
    if (this.#known) return this.#known;
    const known = new Map<string, Known>();
    for (const key of this.#tables.processStates.keys()) this.#learn(known, key);
    this.#known = known;
    return known;
  }

  /** Takes a row as it is now. What it is, or was before it was taken away. */
  #learn(known: Map<string, Known>, key: string): ProcessStateRow | undefined {
    const row = this.#tables.processStates.get(key);
    if (!row) return forgotten(known, key);
    const rows = known.get(row.pid) ?? new Map<string, ProcessStateRow>();
    known.set(row.pid, rows.set(key, row));
    return row;
  }
}

function forgotten(known: Map<string, Known>, key: string): ProcessStateRow | undefined {
  for (const rows of known.values()) {
    const row = rows.get(key);
    if (rows.delete(key)) return row;
  }
  return undefined;
}

const keyOf = ({ pid, conversationId }: Place, writer: number): string =>
  `${pid}/${conversationId}/${writer}`;

function countsMore(one: ProcessStateRow, other: ProcessStateRow): boolean {
  if (goesOn(one) !== goesOn(other)) return goesOn(one);
  if (one.epoch !== other.epoch) return one.epoch > other.epoch;
  if (one.updatedAt !== other.updatedAt) return one.updatedAt > other.updatedAt;
  return one.writer > other.writer;
}
