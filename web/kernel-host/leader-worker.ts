import { Value } from 'typebox/value';
import { BusPort } from './bus-port.ts';
import { BUS, Envelope, KERNEL_ADDRESS } from './door.ts';
import { KernelDoor } from './kernel-door.ts';

/** Entry of the dedicated Worker that hosts the kernel where there is no SharedWorker; pages talk over the bus. */
const channel = new BroadcastChannel(BUS);
const door = new KernelDoor();
/** A page repeats its hello until it is answered; it is let in once. */
const admitted = new Set<string>();

channel.addEventListener('message', (event: MessageEvent<unknown>) => {
  const envelope = event.data;
  if (!Value.Check(Envelope, envelope) || envelope.to !== KERNEL_ADDRESS) return;
  if ((envelope.data as { type?: unknown } | null)?.type !== 'hello') return;
  if (admitted.has(envelope.from)) return;
  admitted.add(envelope.from);
  void door.admit(new BusPort(channel, KERNEL_ADDRESS, envelope.from), envelope.data);
});
