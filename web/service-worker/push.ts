import { type Static, Type } from 'typebox';
import { matches } from '../../shared/std/matches.ts';
import { type NoticeData, noticeOffer } from './notice-offer.ts';
import type { WorkerScope } from './scope.ts';

/** What the server says: what kind of news, where, and how many wait. */
const Pushed = Type.Object({
  id: Type.String(),
  kind: Type.Enum(['approval', 'finished', 'news']),
  pid: Type.Union([Type.String(), Type.Null()]),
  waiting: Type.Integer({ minimum: 0 }),
});
export type Pushed = Static<typeof Pushed>;

const titles: Record<Pushed['kind'], string> = {
  approval: 'GSV waits for your approval',
  finished: 'GSV has finished',
  news: 'There is news in GSV',
};

type Options = NotificationOptions & { actions?: { action: string; title: string }[] };

/** A browser must show something for every message, also for one that it cannot read. */
export async function showPushed(
  { registration }: Pick<WorkerScope, 'registration'>,
  setBadge: ((count: number) => Promise<void>) | undefined,
  text: string,
): Promise<void> {
  const { title, options, waiting } = noticeOf(text);
  if (waiting > 0) await setBadge?.(waiting).catch(() => {});
  await registration.showNotification(title, options);
}

export function noticeOf(text: string): { title: string; options: Options; waiting: number } {
  const pushed = parse(text);
  const common = { icon: '/icon-192.png', badge: '/badge.png' };
  if (!pushed)
    return {
      title: titles.news,
      options: { ...common, data: { open: null } satisfies NoticeData },
      waiting: 0,
    };
  const { id, kind, pid, waiting } = pushed;
  const open = pid === null ? null : `/chat/${encodeURIComponent(pid)}`;
  const { data, actions } = noticeOffer(id, pid, open);
  // The page shows the same news under the same tag: it stands there once.
  return { title: titles[kind], options: { ...common, tag: id, data, actions }, waiting };
}

function parse(text: string): Pushed | null {
  try {
    const value: unknown = JSON.parse(text);
    return matches(Pushed, value) ? value : null;
  } catch {
    return null;
  }
}
