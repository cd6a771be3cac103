import { type Accessor, createSignal, onCleanup } from 'solid-js';
import { SHARED_CACHE, SHARED_PATH, type SharedAbout } from '../../service-worker/share.ts';

/** What another program has given to GSV: text for a message, and files. */
export type Shared = { text: string; files: File[] };

type LaunchQueue = {
  setConsumer(consumer: (launch: { files?: readonly { getFile(): Promise<File> }[] }) => void): void;
};

/** What waits to be taken or discarded: shared by another program, or files that were opened with GSV. */
export function createShared(): { shared: Accessor<Shared | null>; forget(): void } {
  const [shared, setShared] = createSignal<Shared | null>(null);
  const look = (): void => {
    if (document.visibilityState === 'visible') void readShared().then((found) => found && setShared(found));
  };
  look();
  document.addEventListener('visibilitychange', look);
  onCleanup(() => document.removeEventListener('visibilitychange', look));
  const { launchQueue } = globalThis as { launchQueue?: LaunchQueue };
  launchQueue?.setConsumer(({ files = [] }) => {
    if (files.length === 0) return;
    void Promise.all(files.map((file) => file.getFile())).then((opened) =>
      setShared({ text: '', files: opened }),
    );
  });
  return {
    shared,
    forget: () => {
      setShared(null);
      void globalThis.caches?.delete(SHARED_CACHE);
    },
  };
}

async function readShared(): Promise<Shared | null> {
  try {
    const cache = await caches.open(SHARED_CACHE);
    const about = (await (await cache.match(`${SHARED_PATH}about`))?.json()) as SharedAbout | undefined;
    if (about === undefined) return null;
    const files = about.files.map(async ({ name, type }, at) => {
      const kept = await cache.match(`${SHARED_PATH}${at}`);
      return new File([(await kept?.blob()) ?? ''], name, { type });
    });
    return { text: about.text, files: await Promise.all(files) };
  } catch {
    return null;
  }
}

/** Where a shared file goes: a folder of its own for each time, so that nothing is replaced. */
export function sharedPath(home: string, name: string, now: Date): string {
  const time = now.toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names come from other programs.
  const plain = name.replaceAll(/[/\\\u0000-\u001f]/g, '_').replace(/^\.+$/, '_');
  return `${home}/shared/${time}/${plain === '' ? 'file' : plain.slice(-200)}`;
}

/** What stands in the message about what was shared. */
export function sharedMessage(text: string, paths: readonly string[]): string {
  return [text, ...paths.map((path) => `File: ${path}`)].filter((line) => line !== '').join('\n');
}

/** What was shared, in a few words. */
export function sharedWords({ text, files }: Shared): string {
  const [only] = files;
  if (only !== undefined && files.length === 1) return `“${only.name}”`;
  if (files.length > 1) return `${files.length} files`;
  const line = text.split('\n')[0] ?? '';
  return `“${line.length > 60 ? `${line.slice(0, 60)}…` : line}”`;
}
