import { type Accessor, createSignal, onCleanup } from 'solid-js';
import { DEFAULT_CONVERSATION } from '../../shared/state/conversation-names.ts';
import { layerOfNow } from './parts/layers.ts';
import { read, write } from './parts/memory.ts';

export type SettingsSection =
  | 'model'
  | 'models'
  | 'approvals'
  | 'usage'
  | 'tokens'
  | 'storage'
  | 'privacy'
  | 'account'
  | 'appearance'
  | 'about';
export type Route =
  | { view: 'chat'; pid: string | null; conversationId?: string }
  | { view: 'processes' }
  | { view: 'schedules'; id?: string }
  | { view: 'devices' }
  | { view: 'settings'; section: SettingsSection };

const sections: readonly SettingsSection[] = [
  'model',
  'models',
  'approvals',
  'usage',
  'tokens',
  'storage',
  'privacy',
  'account',
  'appearance',
  'about',
];

/** Every address leads somewhere: what is not known is the chat. */
export function parseRoute(path: string): Route {
  const [view, rest, inner] = path.split('/').filter((part) => part !== '');
  if (view === 'processes' || view === 'devices') return { view };
  if (view === 'schedules') return rest === undefined ? { view } : { view, id: decode(rest) };
  if (view === 'settings') {
    return { view, section: sections.find((section) => section === rest) ?? 'model' };
  }
  if (view !== 'chat' || rest === undefined) return { view: 'chat', pid: null };
  const conversation = inner === undefined ? {} : { conversationId: decode(inner) };
  return { view: 'chat', pid: decode(rest), ...conversation };
}

/** Of a process; of its first conversation unless another is named. */
export function chatPath(pid: string, conversationId = DEFAULT_CONVERSATION): string {
  const process = `/chat/${encodeURIComponent(pid)}`;
  return conversationId === DEFAULT_CONVERSATION
    ? process
    : `${process}/${encodeURIComponent(conversationId)}`;
}

/** Of one schedule, in the list of all. */
export function schedulePath(id: string): string {
  return `/schedules/${encodeURIComponent(id)}`;
}

/** The secret of a claim link, `…/#claim=SECRET`. */
export function claimSecret(hash: string): string | null {
  return secretIn(hash, 'claim');
}

/** The secret of an invitation, `…/#invite=SECRET`. */
export function inviteSecret(hash: string): string | null {
  return secretIn(hash, 'invite');
}

export function inviteLink(origin: string, secret: string): string {
  return `${origin}/#invite=${secret}`;
}

function secretIn(hash: string, name: 'claim' | 'invite'): string | null {
  const secret = new URLSearchParams(hash.replace(/^#/, '')).get(name);
  return secret === null || secret === '' ? null : secret;
}

/** Takes the secret out of the address bar, where it would be seen, kept in the history, and shared by accident. */
export function forgetSecret(): void {
  history.replaceState(history.state, '', location.pathname + location.search);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const PLACE = 'place';

/** An app that was closed or killed is started at its beginning: it goes on where it was. In a tab the browser does that. */
function comeBack(): void {
  const place = read(PLACE);
  const started = location.pathname === '/' && location.search === '' && location.hash === '';
  const app = window.matchMedia('(display-mode: standalone), (display-mode: minimal-ui)').matches;
  if (started && app && place.startsWith('/')) history.replaceState(null, '', place);
}

export type Router = { route: Accessor<Route>; go(path: string, options?: { replace: boolean }): void };

export function createRouter(): Router {
  comeBack();
  write(PLACE, location.pathname);
  const [route, setRoute] = createSignal(parseRoute(location.pathname));
  const follow = (): void => {
    setRoute(parseRoute(location.pathname));
    write(PLACE, location.pathname);
  };
  window.addEventListener('popstate', follow);
  onCleanup(() => window.removeEventListener('popstate', follow));
  return {
    route,
    go(path, options) {
      const target = `${path}${location.hash}`;
      // A dialog that leads elsewhere gives its entry to where it leads.
      if (options?.replace || layerOfNow() !== undefined) history.replaceState(null, '', target);
      else if (path !== location.pathname) history.pushState(null, '', target);
      follow();
    },
  };
}
