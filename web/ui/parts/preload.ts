/** How long an idle moment is waited for where the browser can tell, and where it cannot. */
const IDLE_WITHIN_MS = 5_000;

/**
 * Fetches what was left out of the first load once the page has nothing better to do, so that it is here when the
 * server is not. What cannot be fetched now is fetched when it is needed.
 */
export function preloadWhenIdle(loads: readonly (() => Promise<unknown>)[]): void {
  const run = (): void => {
    for (const load of loads) void load().catch(() => {});
  };
  if ('requestIdleCallback' in globalThis) requestIdleCallback(run, { timeout: IDLE_WITHIN_MS });
  else setTimeout(run, IDLE_WITHIN_MS);
}
