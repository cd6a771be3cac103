/** Codes that the runtime reports where no close frame arrived; nobody is there to be answered. */
const NOBODY = new Set([1006, 1015]);
/** Reported for a close frame without a code; it cannot be sent. */
const NO_CODE = 1005;
const NORMAL = 1000;

type ClosableSocket = {
  close(code?: number, reason?: string): void;
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void;
};

/**
 * Completes the closing handshake that the other end began. The runners leave some or all close frames
 * unanswered, and their senders would wait for half a minute.
 */
export function answerClose(socket: ClosableSocket): void {
  socket.addEventListener('close', ({ code, reason }) => {
    if (NOBODY.has(code)) return;
    try {
      socket.close(code === NO_CODE ? NORMAL : code, code === NO_CODE ? '' : reason);
    } catch {
      // The runner has answered already.
    }
  });
}
