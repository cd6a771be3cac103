/** What comes of `going`, or undefined as soon as the signal aborts. */
export function unlessAborted<T>(going: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const left = (): void => resolve(undefined);
    signal.addEventListener('abort', left, { once: true });
    if (signal.aborted) left();
    going.then(resolve, reject).finally(() => signal.removeEventListener('abort', left));
  });
}
