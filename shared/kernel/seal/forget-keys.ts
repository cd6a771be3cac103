import type { SystemTables } from '../../state/system.ts';
import { PHRASE } from './epoch-boxes.ts';
import type { Keys } from './keys.ts';

export type ForgetKeysParts = {
  tables: Pick<SystemTables, 'members' | 'shutOut' | 'recovery'>;
  keys: Keys;
  /** This replica’s id. */
  self: string;
};

/**
 * A browser that was shut out has no use for the keys. Only the server says that it was; so they are forgotten only where
 * another browser has them, or a person keeps the recovery phrase: no server can have a GSV lose all of its keys.
 */
export async function forgetKeys({ tables, keys, self }: ForgetKeysParts): Promise<void> {
  if (!keys.keyring) return;
  const isElsewhere = tables.members
    .rows()
    .some(({ replicaId, epoch }) => replicaId !== self && epoch > 0 && !tables.shutOut.get(replicaId));
  const isKept = (tables.recovery.get(PHRASE)?.keptAt ?? null) !== null;
  if (isElsewhere || isKept) await keys.forget();
}
