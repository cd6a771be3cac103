import { messageOf, SyscallError } from '../../../shared/protocol/errors.ts';
import type { Result } from '../../../shared/syscalls/table.ts';
import { bytes } from '../parts/words.ts';

export type Stored = Result<'sys.storage'>;
export type Copy = Result<'sys.backup.list'>['backups'][number];
export type Estimate = { usage: number; quota: number };
/** `asked`: the browser has just said no. */
export type Persistence = 'kept' | 'not kept' | 'refused' | 'unknown';

/** What the browser counts for this site, and what it allows; null where it does not tell. */
export async function readEstimate(): Promise<Estimate | null> {
  try {
    const { usage, quota } = await navigator.storage.estimate();
    return usage === undefined || quota === undefined ? null : { usage, quota };
  } catch {
    return null;
  }
}

export async function readPersistence(): Promise<Persistence> {
  try {
    return (await navigator.storage.persisted()) ? 'kept' : 'not kept';
  } catch {
    return 'unknown';
  }
}

/**
 * Asks where the browser decides by itself, as Chromium does, and disturbs nobody. Others ask their person, so they wait
 * for a moment at which that person knows why.
 */
export async function askQuietly(): Promise<void> {
  if ('userAgentData' in navigator && (await readPersistence()) === 'not kept') await askPersistence();
}

/** Asks the browser, which may ask its person, or decide by itself. */
export async function askPersistence(): Promise<Persistence> {
  try {
    return (await navigator.storage.persist()) ? 'kept' : 'refused';
  } catch {
    return 'unknown';
  }
}

export function persistenceWords(state: Persistence): string {
  switch (state) {
    case 'kept':
      return 'The browser keeps it: it deletes nothing of it by itself, even when the disk is nearly full.';
    case 'not kept':
      return 'The browser may delete it when the disk is nearly full, or after weeks without a visit.';
    case 'refused':
      return 'The browser said no for now. Many say yes once the page is installed, bookmarked, or used for some days; ask again then. Until then it may delete what is here when the disk is nearly full.';
    case 'unknown':
      return 'This browser does not tell whether it keeps what is here. Private windows forget everything.';
  }
}

/** What would be lost with this browser, in a sentence. */
export function onlyHereWords(stored: Stored | undefined, waiting: number, alone: boolean): string {
  if (alone) return 'All of this is only here. An exported file is the only other copy.';
  if (stored === undefined) return '';
  if (waiting === 0 && stored.blobsOnlyHere === 0) return 'The server has all of it too.';
  return 'Some of it is not at the server yet, and only here until it is.';
}

/** What a copy is, in a line. */
export function copyWords({ version, bytes: size, returning }: Copy): string {
  const about = size === null ? '' : `, about ${bytes(size)}`;
  return returning
    ? `All that was here before you went back${about}`
    : `All that was here before an update, as version ${version} stored it${about}`;
}

/** What came of going back to a copy. */
export function restoredWords(
  { at, done }: NonNullable<Copy['restored']>,
  time: (at: number) => string,
): string {
  return done
    ? `You went back to it on ${time(at)}.`
    : `Going back to it failed on ${time(at)}: what was here then is here still.`;
}

/** What going back to a copy changes. `joined`: this browser belongs to a server. */
export function goBackWords(joined: boolean): string {
  const changes =
    'Conversations, files, settings, passwords and keys become what they were then. What is here now is copied first, so that you can return to it.';
  return joined
    ? `${changes} Only this browser goes back, and leaves the server to do so. The server, your other browsers and workstations keep what they have: to have that here again, remove GSV from this browser and follow an invitation. If this is your only browser, make a recovery phrase first.`
    : changes;
}

/** Why a file was not restored, in words; nothing has been changed then. */
export function restoreProblem(thrown: unknown): string {
  const code = thrown instanceof SyscallError ? thrown.code : 500;
  if (code === 409)
    return 'This browser already holds a GSV, and a file is restored into an empty one only. Nothing was changed.';
  if (code === 400)
    return `This is not an exported GSV, or the file is damaged (${messageOf(thrown)}). Nothing was changed.`;
  if (code === 507) return `There is not enough room for it here: ${messageOf(thrown)} Nothing was changed.`;
  return `It could not be restored: ${messageOf(thrown)}`;
}

/** What a setting is called whose secret was not in an exported file. */
export function secretWords(key: string): string {
  return /(?:^|\/)ai\/api_key$/.test(key) ? 'The key of your model provider: Settings, Model.' : key;
}
