/** A message in a form that reaches a page: text that may be JSON, or bytes. */
export type SentFrame = { text: string } | { bytes: number[] };

type KernelScript = { url: string | URL; options: string | WorkerOptions | undefined };
type AttackedWindow = {
  kernelScript: KernelScript;
  /** How often the page has reached for its kernel. */
  attachments: number;
  SharedWorker: typeof SharedWorker;
};

/** Runs before a page's scripts: keeps what the page starts its kernel with. */
export function rememberKernel(): void {
  const target = window as unknown as AttackedWindow;
  target.attachments = 0;
  target.SharedWorker = class extends SharedWorker {
    constructor(url: string | URL, options?: string | WorkerOptions) {
      super(url, options);
      target.kernelScript = { url, options };
      target.attachments += 1;
    }
  };
}

/**
 * Runs in the page: posts the frames to ports of its kernel, twenty to each; every second port is welcomed before.
 * Resolves with how many were sent and every answer that says yes.
 */
export async function attackKernel(
  frames: SentFrame[],
): Promise<{ sent: number; welcomes: number; accepted: unknown[] }> {
  const PER_PORT = 20;
  const { url, options } = (window as unknown as AttackedWindow).kernelScript;
  const accepted: unknown[] = [];
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const foreign = [
    circular,
    new Map([[1, 2]]),
    new Date(Number.NaN),
    10n,
    undefined,
    new Error('x'),
    new Array(3),
  ];
  let sent = 0;
  let welcomes = 0;
  let leave = (): void => {};
  void navigator.locks.request('hostile-tab', () => new Promise<void>((resolve) => (leave = resolve)));
  const messageOf = (frame: SentFrame): unknown => {
    if ('bytes' in frame) return new Uint8Array(frame.bytes);
    try {
      return JSON.parse(frame.text);
    } catch {
      return frame.text.length % 2 === 0 ? frame.text : foreign[frame.text.length % foreign.length];
    }
  };
  const openPort = async (welcome: boolean): Promise<MessagePort> => {
    const { port } = new SharedWorker(url, options);
    if (welcome) {
      const welcomed = new Promise((resolve) => {
        port.onmessage = resolve;
      });
      port.postMessage({ type: 'hello', tab: crypto.randomUUID(), lock: 'hostile-tab' });
      await welcomed;
      welcomes += 1;
    }
    port.onmessage = ({ data }) => {
      if (data?.ok === true || data?.type === 'welcome') accepted.push(data);
    };
    return port;
  };
  for (let at = 0; at < frames.length; at += PER_PORT) {
    const port = await openPort((at / PER_PORT) % 2 === 0);
    for (const frame of frames.slice(at, at + PER_PORT)) {
      port.postMessage(messageOf(frame));
      sent += 1;
    }
  }
  // A port answers in order: when this welcome comes, all that was sent before it has been taken.
  await openPort(true);
  leave();
  return { sent, welcomes, accepted };
}

/** Runs in the page. */
export function countAttachments(): number {
  return (window as unknown as AttackedWindow).attachments;
}
