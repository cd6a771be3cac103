import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js';
import type { Result } from '../../../shared/syscalls/table.ts';
import type { Gsv } from '../../client/gsv.ts';

/** Whether this browser asks for the password before it opens what it stores. */
export type DiskLock = Result<'sys.disk.get'>;

/** The kernel is told no oftener that somebody is at the page. */
const TELL_MS = 15_000;
const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

/** Live; undefined until it is known. */
export function createDiskLock(gsv: Gsv): Accessor<DiskLock | undefined> {
  const [lock, setLock] = createSignal<DiskLock>();
  const look = (): void => void gsv.call('sys.disk.get', {}).then(setLock, () => {});
  look();
  onCleanup(gsv.onSignal((signal) => signal === 'sys.disk.changed' && look()));
  return lock;
}

/** While this browser locks itself when nobody is at it, somebody's being at this page is told. */
export function tellPresence(gsv: Gsv, lock: Accessor<DiskLock | undefined>): void {
  let told = 0;
  const tell = (): void => {
    const now = Date.now();
    if (now - told < TELL_MS) return;
    told = now;
    void gsv.call('sys.disk.used', {}).catch(() => {});
  };
  createEffect(() => {
    if (lock()?.afterMinutes == null) return;
    tell();
    for (const sign of SIGNS) window.addEventListener(sign, tell, { passive: true });
    onCleanup(() => {
      for (const sign of SIGNS) window.removeEventListener(sign, tell);
    });
  });
}

/** What may be chosen, in minutes. */
export const LOCK_AFTER: readonly (number | null)[] = [null, 5, 15, 30, 60, 240];

export function lockAfterWords(minutes: number | null): string {
  if (minutes === null) return 'Only when GSV starts';
  if (minutes < 60) return `After ${minutes} minutes without anybody here`;
  return minutes === 60
    ? 'After an hour without anybody here'
    : `After ${minutes / 60} hours without anybody here`;
}
