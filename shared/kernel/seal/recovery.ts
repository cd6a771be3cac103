import { SyscallError } from '../../protocol/errors.ts';
import type { InviteRow } from '../../state/control.ts';
import type { RecoveryRow } from '../../state/seal.ts';
import type { SystemTables } from '../../state/system.ts';
import { fromBase64, fromBase64Url, sha256Hex, toBase64, toBase64Url } from '../../std/bytes.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { Args } from '../../syscalls/table.ts';
import { hashToken } from '../auth/tokens.ts';
import type { Vault } from '../ports/vault.ts';
import { readSharedSecrets } from '../sync/shared-secrets.ts';
import { PHRASE } from './epoch-boxes.ts';
import type { Keys } from './keys.ts';
import { RecoveryPhrase } from './recovery-phrase.ts';
import { sealFor } from './sealed-box.ts';

/** The words, in the browser that made them, until they are known to be kept. */
const WORDS = 'seal/phrase';
/** What the words last opened, as a hash, in the browser that made them. */
const OPENS = 'seal/phrase-opens';

export type RecoveryParts = {
  tables: SystemTables;
  keys: Keys;
  vault: Vault;
  /** Of those that all browsers need. */
  secrets: Pick<Vault, 'get'>;
  clock: Clock;
  random: Random;
  flush(): Promise<void>;
};

/** What the row holds, and what tells it from what it held before. */
type Sealed = { sealed: string; opens: string };

/**
 * The recovery phrase: an invitation that does not run out, whose secrets are sealed for the key that the words stand
 * for. Keys that are made after it are given to it as to any browser.
 */
export class Recovery {
  readonly #parts: RecoveryParts;
  #stopFollowing: (() => void)[] = [];

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  /** What the words open is kept up to date where they were made. */
  start(): void {
    const { tables, keys } = this.#parts;
    const look = (): void =>
      void this.renew().catch((thrown) => console.error('The recovery phrase', thrown));
    this.#stopFollowing = [keys.onChange(look), tables.config.observe(look)];
    look();
  }

  stop(): void {
    for (const stop of this.#stopFollowing) stop();
  }

  get state(): 'none' | 'made' | 'kept' {
    const row = this.#parts.tables.recovery.get(PHRASE);
    if (!row) return 'none';
    return row.keptAt === null ? 'made' : 'kept';
  }

  /** An earlier phrase opens nothing any more. Throws 409 in a GSV that is not sealed. */
  async make(uid: number): Promise<readonly string[]> {
    const { tables, keys, vault, clock, random, flush } = this.#parts;
    if (!keys.keyring) throw new SyscallError(409, 'This GSV is not sealed: it needs no recovery phrase');
    const phrase = await RecoveryPhrase.make(random);
    const [hash, key] = await Promise.all([phrase.token().then(hashToken), phrase.key()]);
    await vault.put(WORDS, phrase.words.join(' '));
    const madeAt = clock.now();
    const row = { inviteId: random.uuid(), publicKey: toBase64Url(key.public), uid, madeAt, keptAt: null };
    const { sealed, opens } = await this.#sealed(row);
    for (const invite of tables.invites.rows()) {
      if (invite.kind === 'recovery') tables.invites.delete(invite.inviteId);
    }
    const invite = { inviteId: row.inviteId, hash, sealed, uid, createdAt: madeAt, expiresAt: null };
    tables.invites.put(row.inviteId, { ...invite, kind: 'recovery' });
    tables.recovery.put(PHRASE, { ...row, epoch: keys.keyring.epoch });
    await flush();
    await vault.put(OPENS, opens);
    return phrase.words;
  }

  /** Throws 409 where the words are not known any more, 400 when one of those that were typed is another. */
  async keep(typed: Args<'sys.seal.phrase.keep'>['words']): Promise<void> {
    const { tables, vault, clock, flush } = this.#parts;
    const words = (await vault.get(WORDS))?.split(' ');
    if (!words)
      throw new SyscallError(409, 'This phrase was not made in this browser; make a new one to keep it');
    if (new Set(typed.map(({ at }) => at)).size < 2) throw new SyscallError(400, 'Type two different words');
    for (const { at, word } of typed) {
      if (words[at - 1] !== word.toLowerCase())
        throw new SyscallError(400, `Word ${at} is not “${word}”; look at what you wrote down`);
    }
    tables.recovery.patch(PHRASE, { keptAt: clock.now() });
    await flush();
    await vault.delete(WORDS);
  }

  /** The words open what there is now, when that is another than they opened. */
  async renew(): Promise<void> {
    const { tables, keys, vault, flush } = this.#parts;
    const row = tables.recovery.get(PHRASE);
    const before = await vault.get(OPENS);
    if (!row || !keys.keyring || before?.startsWith(`${row.inviteId}/`) !== true) return;
    const { epoch } = keys.keyring;
    const { sealed, opens } = await this.#sealed(row);
    if (opens === before) return;
    tables.invites.patch(row.inviteId, { sealed });
    tables.recovery.patch(PHRASE, { epoch });
    await flush();
    await vault.put(OPENS, opens);
  }

  async #sealed({ inviteId, publicKey }: Pick<RecoveryRow, 'inviteId' | 'publicKey'>): Promise<Sealed> {
    const { tables, secrets, random } = this.#parts;
    const text = await readSharedSecrets(tables, secrets);
    const content = new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
    const box = await sealFor(fromBase64Url(publicKey), content, purposeOf(inviteId), random);
    return { sealed: toBase64(box), opens: `${inviteId}/${await sha256Hex(content)}` };
  }
}

/** The secrets that a phrase opens. Rejects when it is not the phrase of this row. */
export async function openByPhrase(phrase: RecoveryPhrase, row: InviteRow): Promise<string> {
  const opened = await (await phrase.key()).open(fromBase64(row.sealed), purposeOf(row.inviteId));
  return new TextDecoder().decode(opened);
}

function purposeOf(inviteId: string): string {
  return `recovery ${inviteId}`;
}
