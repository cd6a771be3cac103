import { SyscallError } from '../../protocol/errors.ts';
import type { InviteRow } from '../../state/control.ts';
import { openByPhrase } from '../seal/recovery.ts';
import { PhraseError, RecoveryPhrase } from '../seal/recovery-phrase.ts';
import type { BoxKey } from '../seal/sealed-box.ts';
import { InviteSecret } from './invite-secret.ts';

/** What a newcomer was given: the secret of an invitation's link, or the words of a recovery phrase. */
export type Joining = {
  /** As `parseJoining` reads it again. */
  readonly text: string;
  /** What is shown to the room. */
  token(): Promise<string>;
  /** The secrets that all browsers of the GSV share. Rejects when the row is for another secret. */
  open(row: InviteRow): Promise<string>;
  /** What opens the keys that were made since; null when all are among the secrets. */
  laterKeys(): Promise<BoxKey | null>;
};

/** Undefined for a text that is neither. Throws SyscallError 400 on words that cannot be a phrase, and says why. */
export async function parseJoining(text: string): Promise<Joining | undefined> {
  const invite = InviteSecret.parse(text);
  if (invite) return byInvite(invite);
  return /\s/.test(text.trim()) ? byPhrase(await parsePhrase(text)) : undefined;
}

function byInvite(invite: InviteSecret): Joining {
  return {
    text: invite.text,
    token: () => invite.token(),
    open: (row) => invite.open(row.sealed, row.inviteId),
    laterKeys: async () => null,
  };
}

function byPhrase(phrase: RecoveryPhrase): Joining {
  return {
    text: phrase.words.join(' '),
    token: () => phrase.token(),
    open: (row) => openByPhrase(phrase, row),
    laterKeys: () => phrase.key(),
  };
}

async function parsePhrase(text: string): Promise<RecoveryPhrase> {
  try {
    return await RecoveryPhrase.parse(text);
  } catch (thrown) {
    if (thrown instanceof PhraseError) throw new SyscallError(400, thrown.message);
    throw thrown;
  }
}
