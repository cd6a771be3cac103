import { type Accessor, createContext, useContext } from 'solid-js';
import type { Gsv } from '../client/gsv.ts';
import type { Shell } from '../client/shell.ts';
import type { Approval } from '../service-worker/approval.ts';
import type { Attachments } from './live/attachments.ts';
import type { LiveDevice } from './live/devices.ts';
import type { DiskLock } from './live/disk-lock.ts';
import type { Installing } from './live/installing.ts';
import type { MediaLoader } from './live/media.ts';
import type { LiveNotification } from './live/notifications.ts';
import type { PhraseOffer } from './live/phrase-offer.ts';
import type { LiveProcess } from './live/processes.ts';
import type { LiveReplica } from './live/replicas.ts';
import type { Shared } from './live/shared.ts';
import type { Status } from './live/status.ts';
import type { MarkdownRenderer } from './markdown/renderer.ts';
import type { Notices } from './parts/notices.ts';
import type { Router } from './route.ts';

export type Overlay =
  | 'none'
  | 'palette'
  | 'conversations'
  | 'spawn'
  | 'add-device'
  | 'add-browser'
  | 'notifications'
  | 'link';

/** What every signed-in screen stands on. Built once, in `app.tsx`. */
export type Page = {
  gsv: Gsv;
  router: Router;
  notices: Notices;
  markdown: MarkdownRenderer;
  media: MediaLoader;
  /** What goes with the next message to a process. */
  attachments(pid: string): Attachments;
  status: Accessor<Status | undefined>;
  /** Newest first. */
  processes: readonly LiveProcess[];
  processesReady: Accessor<boolean>;
  devices: readonly LiveDevice[];
  /** The browsers that hold this GSV, this one first. */
  replicas: readonly LiveReplica[];
  /** Newest first. */
  notifications: readonly LiveNotification[];
  /** The user's own `init` process, once it is known. */
  home: Accessor<LiveProcess | undefined>;
  /** The conversation that was looked at last. */
  lastChat: Accessor<string | null>;
  setLastChat(pid: string): void;
  /** Ticks every few seconds, for words like "2 m ago". */
  now: Accessor<number>;
  /** The layout of a phone: one column, and the page's own small things in the head of each view. */
  narrow: Accessor<boolean>;
  /** The page's windows over everything: the palette, the list of conversations on a phone. */
  overlay: Accessor<Overlay>;
  show(overlay: Overlay): void;
  shell: Shell;
  /** Installing GSV as an app of this device. */
  installing: Installing;
  /** Keeping a recovery phrase. */
  phraseOffer: PhraseOffer;
  /** What another program has handed over, until it is taken or discarded. */
  shared: Accessor<Shared | null>;
  forgetShared(): void;
  /** What was approved in a notification, until it is answered here. */
  approving: Accessor<Approval | null>;
  approvalAnswered(): void;
  /** Text that is to be added to the message that is being written; the message box takes it. */
  toCompose: Accessor<string | null>;
  compose(text: string | null): void;
  /** Whether this browser asks for the password before it opens what it stores. */
  disk: Accessor<DiskLock | undefined>;
  /** A newer version of the page is here, and is taken when the person says so. */
  updateReady: Accessor<boolean>;
  signedOut(): void;
};

export const PageContext = createContext<Page>();

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error('A screen was used outside of the page.');
  return page;
}
