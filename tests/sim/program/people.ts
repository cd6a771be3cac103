import type { Dice } from '../engine/dice.ts';
import { DEVICE } from '../nodes/driver-node.ts';
import type { SimPage } from '../nodes/page.ts';
import type { ReplicaNode } from '../nodes/replica-node.ts';
import { INIT, type Stage } from './stage.ts';

type Act = (stage: Stage, dice: Dice) => void;

/** What people do at a page of some browser. Nobody waits for the answer: it comes, or not, as the world goes on. */
export const people = {
  send: (stage, dice) =>
    atPage(stage, dice, (page, pid) => {
      const message = stage.newToken('m', dice);
      const call = page.call('proc.send', { pid, message: `${message} please` });
      stage.messages.push({ token: message, pid, call, takenBack: false });
    }),

  approve: (stage, dice) =>
    atPage(stage, dice, (page, pid) => {
      const decision = dice.chance(0.7) ? 'approve' : 'deny';
      void page.call('proc.history', { pid, limit: 1 }).done.then((outcome) => {
        const pending = outcome.kind === 'answered' && outcome.result.ok ? outcome.result.pendingHil : null;
        if (pending) page.call('proc.hil', { pid, requestId: pending.requestId, decision });
      });
    }),

  stop: (stage, dice) => atPage(stage, dice, (page, pid) => void page.call('proc.abort', { pid })),

  unqueue: (stage, dice) =>
    atPage(stage, dice, (page, pid) => {
      void page.call('view.open', { view: 'conversation', pid, tail: 1 }).done.then((outcome) => {
        if (outcome.kind !== 'answered') return;
        page.call('view.close', { viewId: outcome.result.viewId });
        const queued = outcome.result.rows.find(({ key }) => key.startsWith('q:'))?.value;
        if (queued) takeBack(stage, page, pid, String(queued.messageId), String(queued.text));
      });
    }),

  reset: (stage, dice) => atPage(stage, dice, (page, pid) => void page.call('proc.reset', { pid })),

  spawn: (stage, dice) =>
    atPage(stage, dice, (page) => {
      if (stage.pids.length > 3) return;
      const prompt = stage.newToken('m', dice);
      const call = page.call('proc.spawn', { profile: 'task', prompt: `${prompt} begin` });
      void call.done.then((outcome) => {
        if (outcome.kind !== 'answered' || !outcome.result.ok) return;
        stage.pids.push(outcome.result.pid);
        stage.messages.push({ token: prompt, pid: outcome.result.pid, call, takenBack: false });
      });
    }),

  takeOver: (stage, dice) =>
    atPage(stage, dice, (page, pid) => {
      page.call('proc.takeover', dice.chance(0.5) ? { pid, force: true } : { pid });
    }),

  readDevice: (stage, dice) =>
    atPage(stage, dice, (page) => void page.call('fs.read', { target: DEVICE, path: '/etc/hostname' })),

  configure: (stage, dice) =>
    atPage(stage, dice, (page) => {
      const key = `users/1000/ai/note_${dice.below(3)}`;
      page.call('sys.config.set', { key, value: stage.newToken('c', dice) });
    }),
} satisfies Record<string, Act>;

function atPage(stage: Stage, dice: Dice, act: (page: SimPage, pid: string) => void): void {
  const replica: ReplicaNode | undefined = dice.pick(stage.world.replicas);
  const pid = dice.chance(0.7) ? INIT : (dice.pick(stage.pids) ?? INIT);
  if (replica?.page?.signedIn) act(replica.page, pid);
}

function takeBack(stage: Stage, page: SimPage, pid: string, messageId: string, text: string): void {
  // From the moment of asking it may be gone.
  const message = stage.messages.find(({ token }) => text.startsWith(`${token} `));
  if (message) message.takenBack = true;
  page.call('proc.queue.remove', { pid, messageId });
}
