import type { SealedLog } from '../../../sync-server/room/sealed-log.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { type ContentAttack, contentAttacks, HostileContents } from './hostile-contents.ts';
import { HostileLog, type LogAttack, logAttacks } from './hostile-log.ts';
import type { SeenRoom } from './log-replica.ts';

export type Attack = LogAttack | ContentAttack;
export const attacks: readonly Attack[] = [...logAttacks, ...contentAttacks];

/** A room that is honest until it does one thing that it should not: with its log, or with the contents that it has. */
export class HostileRoom {
  readonly log = new HostileLog();
  readonly contents: HostileContents;

  constructor(clock: ManualClock) {
    this.contents = new HostileContents(clock);
  }

  /** As one replica sees it that comes. */
  get seen(): SeenRoom {
    return { log: this.log.view(), contents: this.contents, claiming: false };
  }

  /** Keeps what there is, to give it out again later. */
  async copy(): Promise<void> {
    this.log.copy();
    await this.contents.copy();
  }

  /** Does one thing, perhaps with what stands in another log. */
  async attack(random: SeededRandom, other: HostileLog): Promise<Attack> {
    const attack = random.pick(attacks);
    const brazen = random.chance(0.5);
    this.log.brazen = brazen;
    this.contents.brazen = brazen;
    if (isOfContents(attack)) await this.contents.attack(attack, random);
    else this.log.attack(attack, random, other);
    return attack;
  }
}

/** Another room, which does as it should. */
export function honestRoom(log: SealedLog, clock: ManualClock): SeenRoom {
  return { log, contents: new HostileContents(clock), claiming: true };
}

function isOfContents(attack: Attack): attack is ContentAttack {
  return contentAttacks.some((other) => other === attack);
}
