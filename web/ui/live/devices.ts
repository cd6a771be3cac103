import { createEffect } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import type { DeviceRow } from '../../../shared/state/control.ts';
import type { Gsv } from '../../client/gsv.ts';
import { momentOfDay } from '../parts/words.ts';
import { createRows } from './rows.ts';

/** `pairAgain`: it was added before this GSV was sealed, and nothing is sent to it until it is added anew. */
export type LiveDevice = DeviceRow & { revoked: boolean; pairAgain: boolean };
export type DeviceState = 'online' | 'offline' | 'never connected' | 'revoked';

export function createDevices(gsv: Gsv): { list: LiveDevice[] } {
  const view = createRows<LiveDevice>(gsv, () => ({ view: 'devices' }));
  const [store, setStore] = createStore<{ list: LiveDevice[] }>({ list: [] });
  createEffect(() => {
    const rows = [...view.rows().values()].sort((a, b) => a.deviceId.localeCompare(b.deviceId));
    setStore('list', reconcile(rows, { key: 'deviceId' }));
  });
  return {
    get list() {
      return store.list;
    },
  };
}

/** One word for how a device stands. A revoked one that is still closing its connection is revoked. */
export function deviceState(
  row: Pick<LiveDevice, 'revoked' | 'online' | 'connectedAt' | 'disconnectedAt'>,
): DeviceState {
  if (row.revoked) return 'revoked';
  if (row.online) return 'online';
  return row.connectedAt === null && row.disconnectedAt === null ? 'never connected' : 'offline';
}

type Seen = Pick<LiveDevice, 'revoked' | 'online' | 'connectedAt' | 'disconnectedAt' | 'lastSeenAt'>;

/** Where a device is, and when it was last there. Who is connected is the server's knowledge: without it nothing is said of now. */
export function deviceWords(row: Seen, linkOnline: boolean, now: number): string {
  switch (deviceState(row)) {
    case 'revoked':
      return 'revoked: it cannot connect any more';
    case 'never connected':
      return 'never connected';
    case 'online':
      return row.connectedAt === null ? 'online' : `online since ${momentOfDay(row.connectedAt, now)}`;
    case 'offline':
      return linkOnline ? `offline, last seen ${momentOfDay(lastSeen(row), now)}` : 'not known while offline';
  }
}

/** While it was connected it was there. */
export function lastSeen({ lastSeenAt, disconnectedAt }: Seen): number {
  return Math.max(lastSeenAt, disconnectedAt ?? 0);
}

const abilities: Record<string, string> = { 'fs.*': 'files', 'shell.exec': 'commands' };

/** What a device can do, as a person calls it. */
export function abilityWords(name: string): string {
  return abilities[name] ?? name;
}
