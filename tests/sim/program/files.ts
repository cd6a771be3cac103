import type { Dice } from '../engine/dice.ts';
import { HOME } from '../nodes/models.ts';
import type { Outcome, SimPage } from '../nodes/page.ts';
import type { FileChange, Stage } from './stage.ts';

type Act = (stage: Stage, dice: Dice) => void;
/** Contents beyond what a row holds (4 KiB). */
const LARGE = 'x'.repeat(80).concat('\n').repeat(60);

/** What people do with files: few names, so that several browsers change the same ones. */
export const files = {
  write: (stage, dice) => {
    const token = stage.newToken('f', dice);
    const content = `${token}\n${dice.chance(0.15) ? LARGE : ''}END\n`;
    change(stage, dice, token, (page, path) => page.call('fs.write', { path, content }));
  },

  edit: (stage, dice) => {
    const token = stage.newToken('f', dice);
    change(stage, dice, token, (page, path) =>
      page.call('fs.edit', { path, oldString: 'END', newString: `${token}\nEND` }),
    );
  },

  remove: (stage, dice) => change(stage, dice, null, (page, path) => page.call('fs.delete', { path })),
} satisfies Record<string, Act>;

function change(
  stage: Stage,
  dice: Dice,
  token: string | null,
  act: (page: SimPage, path: string) => FileChange['call'],
): void {
  const replica = dice.pick(stage.world.replicas);
  const page = replica?.page;
  const path = `${HOME}/${dice.pick(['notes', 'shared/deep'])}/${dice.pick(['a', 'b', 'c'])}.txt`;
  if (!replica || !page?.signedIn) return;
  const { trace, timeline } = stage.world;
  const before = { events: trace.events, now: timeline.now };
  void page.call('fs.read', { path }).done.then((outcome) => {
    // Nothing has happened since: nothing can have come in between.
    const atOnce = trace.events === before.events && timeline.now === before.now;
    const knew = atOnce && isRead(outcome) ? tokensIn(outcome) : null;
    const contested = stage.changes.some(
      (other) => other.path === path && other.replica === replica.name && other.call.outcome.kind === 'open',
    );
    const call = act(page, path);
    const change: FileChange = { replica: replica.name, path, token, knew, contested, call };
    stage.changes.push(change);
    const begun = timeline.now;
    void call.done.then(() => {
      // On a slow disk others' changes may have come in before this one was carried out.
      if (timeline.now !== begun) change.knew = null;
    });
  });
}

/** Whether it is known what is there; a file that is there and cannot be read now is not. */
function isRead(outcome: Outcome<'fs.read'>): boolean {
  if (outcome.kind !== 'answered') return false;
  return outcome.result.ok || outcome.result.error.startsWith('no such file');
}

function tokensIn(outcome: Outcome<'fs.read'>): string[] {
  if (outcome.kind !== 'answered' || !outcome.result.ok || !('content' in outcome.result)) return [];
  const { content } = outcome.result;
  return typeof content === 'string' ? (content.match(/\bf\d+z\b/g) ?? []) : [];
}
