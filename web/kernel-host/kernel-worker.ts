import { Value } from 'typebox/value';
import { BusPort } from './bus-port.ts';
import { AGAIN, BUS, Envelope, KERNEL_ADDRESS } from './door.ts';
import { KernelDoor } from './kernel-door.ts';

/**
 * Entry of the worker that hosts the kernel: a SharedWorker, which pages reach by ports, or where there is none the
 * dedicated Worker of a leading page, which pages reach over the bus.
 */
const shared = 'onconnect' in self;
/** A page starts a SharedWorker anew when it looks for it; the Worker of a leading page tells that one. */
const again = shared ? () => {} : () => self.postMessage(AGAIN);
const door = new KernelDoor(shared ? 'shared' : 'leader', again);
if (shared) admitByPort(self as unknown as PortScope);
else admitByBus(new BroadcastChannel(BUS));

type PortScope = { onconnect: ((event: MessageEvent) => void) | null };

function admitByPort(scope: PortScope): void {
  scope.onconnect = ({ ports: [port] }) => {
    if (!port) return;
    port.onmessage = ({ data }) => {
      port.onmessage = null;
      void door.admit(port, data);
    };
  };
}

function admitByBus(channel: BroadcastChannel): void {
  /** A page repeats its hello until it is answered; it is let in once. */
  const admitted = new Set<string>();
  channel.addEventListener('message', (event: MessageEvent<unknown>) => {
    const envelope = event.data;
    if (!Value.Check(Envelope, envelope) || envelope.to !== KERNEL_ADDRESS) return;
    const { type } = (envelope.data ?? {}) as { type?: unknown };
    if (type !== 'hello' && type !== 'lend') return;
    if (admitted.has(envelope.from)) return;
    admitted.add(envelope.from);
    void door.admit(new BusPort(channel, KERNEL_ADDRESS, envelope.from), envelope.data);
  });
}
