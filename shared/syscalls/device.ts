import { Type } from 'typebox';
import { declare, record, Target } from './declare.ts';

/** Base64 of a message between a replica and a device that has a secret (SPEC.md, “The sealed tunnel”). */
const SealedMessage = Type.String({ minLength: 1, maxLength: 120 * 1024 * 1024 });

/** What is asked of a device by way of a room that is to learn nothing of it. */
export const deviceSyscalls = {
  'device.call': declare({
    doc: 'Passes a sealed call on to a device and brings back its sealed answer, both with their bytes. The room reads neither; it checks the lease, that the device is connected and, of a person, that they may run commands there.',
    args: record({ deviceId: Target, sealed: SealedMessage }),
    result: record({ sealed: SealedMessage }),
    audience: 'room',
    under: 'shell.exec',
    effect: 'write',
    routable: false,
  }),
};
