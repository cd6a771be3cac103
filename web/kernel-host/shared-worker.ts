import { KernelDoor } from './kernel-door.ts';

/** Entry of the SharedWorker that hosts the kernel. */
const scope = self as unknown as { onconnect: ((event: MessageEvent) => void) | null };
const door = new KernelDoor();

scope.onconnect = ({ ports: [port] }) => {
  if (!port) return;
  port.onmessage = ({ data }) => {
    port.onmessage = null;
    void door.admit(port, data);
  };
};
