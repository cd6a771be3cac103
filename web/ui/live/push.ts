import { type Accessor, createSignal } from 'solid-js';
import { fromBase64Url } from '../../../shared/std/bytes.ts';
import type { Gsv } from '../../client/gsv.ts';

/** Whether the server tells this browser of news while GSV is closed; `denied` by the browser's settings of this site. */
export type PushState = 'looking' | 'on' | 'off' | 'denied' | 'unsupported';

export type PushSwitch = {
  state: Accessor<PushState>;
  /** From a click alone: it may open the browser's question. Rejects with the reason. */
  turnOn(): Promise<void>;
  turnOff(): Promise<void>;
};

export function createPush(gsv: Gsv): PushSwitch {
  const [state, setState] = createSignal<PushState>('looking');
  const look = async (): Promise<void> => {
    setState(await readState());
  };
  void look();
  return {
    state,
    turnOn: async () => {
      if ((await Notification.requestPermission()) === 'granted') await subscribe(gsv);
      await look();
    },
    turnOff: async () => {
      await gsv.call('notification.push.remove', {});
      await (await subscription())?.unsubscribe();
      await look();
    },
  };
}

/** Tells the server again of a subscription that the browser may have changed since. */
export async function renewPush(gsv: Gsv): Promise<void> {
  const known = await subscription();
  if (known) await hand(gsv, known);
}

async function readState(): Promise<PushState> {
  if (!('Notification' in globalThis && 'PushManager' in globalThis)) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  return (await subscription()) ? 'on' : 'off';
}

async function subscription(): Promise<PushSubscription | null> {
  try {
    const registration = await navigator.serviceWorker.getRegistration();
    return (await registration?.pushManager.getSubscription()) ?? null;
  } catch {
    return null;
  }
}

async function subscribe(gsv: Gsv): Promise<void> {
  const response = await fetch('/push-key').catch(() => null);
  if (!response?.ok) throw new Error('The server cannot be reached, and it is the one that sends them.');
  const { key } = (await response.json()) as { key: string };
  const registration = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: fromBase64Url(key) };
  await hand(gsv, await registration.pushManager.subscribe(options));
}

async function hand(gsv: Gsv, made: PushSubscription): Promise<void> {
  const { endpoint, keys } = made.toJSON();
  const { p256dh, auth } = keys ?? {};
  if (endpoint === undefined || p256dh === undefined || auth === undefined)
    throw new Error('The browser gave no address for them.');
  await gsv.call('notification.push.set', { endpoint, p256dh, auth });
}
