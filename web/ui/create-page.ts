import { createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js';
import type { Gsv } from '../client/gsv.ts';
import type { Shell } from '../client/shell.ts';
import type { Overlay, Page } from './context.ts';
import { createApproving } from './live/approving.ts';
import { createAllAttachments } from './live/attachments.ts';
import { createDevices } from './live/devices.ts';
import { createDiskLock, tellPresence } from './live/disk-lock.ts';
import { createInstalling } from './live/installing.ts';
import { createJoining } from './live/joining.ts';
import { createMediaLoader } from './live/media.ts';
import { createNotifications } from './live/notifications.ts';
import { createPhraseOffer } from './live/phrase-offer.ts';
import { createProcesses } from './live/processes.ts';
import { renewPush } from './live/push.ts';
import { createReplicas } from './live/replicas.ts';
import { createShared } from './live/shared.ts';
import { createStatus } from './live/status.ts';
import { askQuietly } from './live/storage.ts';
import { createMarkdownRenderer } from './markdown/renderer.ts';
import { createMedia, NARROW } from './parts/media.ts';
import { createNotices } from './parts/notices.ts';
import { createRouter } from './route.ts';

/** Words like "2 m ago" need no more. */
const TICK_MS = 10_000;

export function createPage(gsv: Gsv, shell: Shell, signedOut: () => void): Page {
  const notices = createNotices();
  const status = createStatus(gsv);
  const processes = createProcesses(gsv);
  const devices = createDevices(gsv);
  const replicas = createReplicas(gsv);
  const [overlay, show] = createSignal<Overlay>('none');
  const [lastChat, setLastChat] = createSignal<string | null>(null);
  const [now, setNow] = createSignal(Date.now());
  const timer = setInterval(() => setNow(Date.now()), TICK_MS);
  onCleanup(() => clearInterval(timer));
  const notifications = createNotifications(gsv, now);
  createJoining(gsv, notices, status);
  const disk = createDiskLock(gsv);
  tellPresence(gsv, disk);
  const installing = createInstalling(shell);
  const { shared, forget: forgetShared } = createShared();
  const { approving, answered: approvalAnswered } = createApproving();
  const [toCompose, compose] = createSignal<string | null>(null);
  void renewPush(gsv).catch(() => {});
  void askQuietly();
  const [updateReady, setUpdateReady] = createSignal(false);
  onCleanup(shell.onUpdate(setUpdateReady));
  // A browser that learns that it was shut out shows nothing more until the password is given.
  createEffect(
    on(
      () => status()?.locked,
      (locked, before) => {
        if (locked === true && before === false) signedOut();
      },
    ),
  );

  const home = createMemo(() => {
    const username = status()?.username;
    return processes
      .list()
      .find((row) => row.profile === 'init' && (username == null || row.username === username));
  });
  return {
    gsv,
    router: createRouter(),
    notices,
    markdown: createMarkdownRenderer(),
    media: createMediaLoader(gsv),
    attachments: createAllAttachments(gsv, notices.bad),
    status,
    get processes() {
      return processes.list();
    },
    processesReady: processes.ready,
    get devices() {
      return devices.list;
    },
    get replicas() {
      return replicas.list;
    },
    get notifications() {
      return notifications.list;
    },
    narrow: createMedia(NARROW),
    home,
    lastChat,
    setLastChat,
    now,
    overlay,
    show,
    shell,
    installing,
    phraseOffer: createPhraseOffer(gsv, status, notices),
    shared,
    forgetShared,
    approving,
    approvalAnswered,
    toCompose,
    compose,
    disk,
    updateReady,
    signedOut,
  };
}
