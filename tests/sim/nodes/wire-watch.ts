import type { Network, Station } from '../engine/network.ts';
import type { Witness } from './witness.ts';

type Request = { type: 'req'; id: string; call: string; key?: string; args?: Record<string, unknown> };
type Response = { type: 'res'; id: string; ok: boolean; data?: Record<string, unknown> };

/** Reads the wires between replicas and the room for who acts in a run, and under which lease. */
export function watchWires(network: Network, witness: Witness): void {
  const asked = new Map<string, { name: string; forced: boolean }>();
  network.tap = (text, from, to) => {
    if (text.startsWith('{"type":"req"') && to.name === 'room') onRequest(JSON.parse(text) as Request, from);
    else if (text.includes('"epoch"') && from.name === 'room') onResponse(JSON.parse(text) as Response, to);
    return text;
  };
  const onRequest = ({ id, call, key, args }: Request, from: Station): void => {
    if (call === 'lease.acquire') {
      asked.set(`${from.name} ${id}`, { name: String(args?.name), forced: args?.force === true });
    }
    if (call === 'lease.release') witness.released(from.name, String(args?.name));
    const run = key === undefined ? undefined : runOf(key);
    if (run !== undefined) witness.acted(from.name, run, call);
  };
  const onResponse = ({ id, data }: Response, to: Station): void => {
    const request = asked.get(`${to.name} ${id}`);
    if (!request || data?.granted !== true) return;
    asked.delete(`${to.name} ${id}`);
    witness.granted(to.name, request.name, Number(data.epoch), request.forced);
  };
}

/** Keys of a run's calls are `<pid>:<run>:<turn>:<place>`; a pid may hold colons. */
function runOf(key: string): string | undefined {
  const parts = key.split(':');
  return parts.length >= 4 ? parts.slice(0, -2).join(':') : undefined;
}
