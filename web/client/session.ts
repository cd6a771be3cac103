const KEY = 'gsv.session';

export type StoredSession = { username: string; token: string; tokenId: string };

/** The session token of this browser. It opens only this kernel and, hashed there, is revoked like any other. */
export function readSession(): StoredSession | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    return isSession(value) ? value : null;
  } catch {
    return null;
  }
}

export function writeSession(session: StoredSession | null): void {
  if (session) localStorage.setItem(KEY, JSON.stringify(session));
  else localStorage.removeItem(KEY);
}

function isSession(value: unknown): value is StoredSession {
  if (typeof value !== 'object' || value === null) return false;
  const { username, token, tokenId } = value as Record<string, unknown>;
  return typeof username === 'string' && typeof token === 'string' && typeof tokenId === 'string';
}
