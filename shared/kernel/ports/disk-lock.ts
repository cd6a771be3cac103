/** How what this host stores is opened. `afterMinutes`: without anybody at it, it locks itself; null: never. */
export type DiskLockState = { password: false } | { password: true; afterMinutes: number | null };

/** Whether what this host stores opens by a password alone. A kernel runs only while it is open. */
export interface DiskLock {
  readonly state: DiskLockState;
  /** From now on it takes this password, in place of another one if there was one. Rejects when storage refuses it. */
  protect(password: string, afterMinutes: number | null): Promise<void>;
  /** From now on it opens by itself. Rejects when storage refuses it. */
  unprotect(): Promise<void>;
  /** Changes when it locks itself; nothing happens without a password. */
  lockAfter(minutes: number | null): Promise<void>;
  /** Forgets the key: the kernel is stopped, and the next one waits for the password. */
  lock(): Promise<void>;
}
