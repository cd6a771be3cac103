import type { RunRow } from '../../state/conversation.ts';
import { isSyscall, table } from '../../syscalls/table.ts';
import { failure } from '../agent/tool-result.ts';
import { NATIVE_TARGET } from '../routing.ts';
import type { Conversation } from './conversation.ts';
import type { Claim, Hold } from './hold.ts';
import type { Saying } from './process-states.ts';
import type { Requests } from './requests.ts';
import type { RunState } from './run-state.ts';

export type TakeoverParts = {
  conversation: Conversation;
  hold: Hold;
  requests: Requests;
  say(what: Saying): void;
  takeBack(runId: string): void;
  /** Whether a queued message is becoming the next run here. */
  begins(): boolean;
};
export type Takeover = { ok: true; runId: string } | { ok: false; error: string };

const BUSY = 'A run goes on in this browser already';
const LOST =
  'Interrupted: the browser that ran this was lost, and the run goes on elsewhere. Check whether it took effect.';

/**
 * Makes another replica's run this one's, under a higher epoch. Calls keep their idempotency keys, so that a device
 * answers from its journal; a native call that was under way there is over. Without `force`, a run whose owner is
 * connected, or still holds its lease, stays where it is.
 */
export async function takeOver(
  { conversation, hold, requests, say, takeBack, begins }: TakeoverParts,
  { force, byPerson }: { force: boolean; byPerson: boolean },
): Promise<Takeover> {
  const before = conversation.others()[0];
  if (conversation.own.run.get()) return refused(BUSY);
  if (!before) return refused('No run goes on in another browser');
  let claim = await hold.claim(force);
  // A person decides for a browser that is gone; by itself nothing is taken before its lease has ended.
  if (claim.kind === 'other' && byPerson && !claim.online) claim = await hold.claim(true);
  const refusal = refusalOf(claim);
  if (refusal) return refused(refusal);
  // A message that waited here for the same lease may have come first: the run of either would be written over.
  if (conversation.own.run.get() || begins()) return refused(BUSY);
  const from = conversation.others().sort((a, b) => startOf(b) - startOf(a))[0];
  const run = from?.run.get();
  if (!from || !run) return refused('The run has ended');
  const epoch = claim.kind === 'held' ? claim.epoch : (run.epoch ?? 0) + 1;
  // What the disk refuses is as it was: a run that is taken and goes on nowhere would be over for its former owner.
  await conversation.stored(() => {
    conversation.take(run.runId, epoch, run.calls);
    requests.inherit(from.owner);
    adopt(conversation.own, from, run, epoch);
    // In the same write: a restart looks for work by it.
    say({ state: 'running' });
    takeBack(run.runId);
  });
  // Of a generation that was reset apart nothing is left but its end.
  await conversation.bringRun();
  await conversation.flush();
  // Whoever takes the run over next goes on from here: others can learn of it before anything is done.
  await hold.stored();
  return { ok: true, runId: run.runId };
}

const startOf = (state: RunState): number => state.run.get()?.startedAt ?? 0;
const refused = (error: string): Takeover => ({ ok: false, error });

function refusalOf(claim: Claim): string | null {
  if (claim.kind === 'other') {
    if (claim.online)
      return 'The browser that runs this is connected. Take it over by force, or stop it there.';
    return `The browser that runs this was connected a moment ago. Try again in ${Math.ceil(claim.forMs / 1000)} s.`;
  }
  if (claim.kind === 'apart' || claim.kind === 'away')
    return 'The server cannot be reached, so nobody can say whether the run goes on elsewhere.';
  return null;
}

/** Copies the run's rows; what remains of the former owner's is over by the higher epoch. */
function adopt(own: RunState, from: RunState, run: RunRow, epoch: number): void {
  const calls = run.calls.map((call) => {
    const known = from.result(call.callId);
    if (call.status === 'done' && known) own.setResult(call.callId, known);
    const write = call.syscall === null || !isSyscall(call.syscall) || table[call.syscall].effect === 'write';
    if (call.status !== 'running' || call.target !== NATIVE_TARGET || !write) return call;
    own.setResult(call.callId, failure(LOST));
    return { ...call, status: 'done' as const };
  });
  own.run.set({ ...run, owner: own.owner, epoch, calls });
}
