import { createSignal, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { type Estimate, onlyHereWords, readEstimate, type Stored } from '../../live/storage.ts';
import { Fact } from '../../parts/fact.tsx';
import { Bar } from '../../parts/small.tsx';
import { bytes } from '../../parts/words.ts';
import { Copies } from './copies.tsx';
import { Keeping } from './keeping.tsx';
import { PasswordLock } from './password-lock.tsx';
import { Removal } from './removal.tsx';
import { Section } from './section.tsx';

export function StorageSettings(): JSX.Element {
  return (
    <>
      <Section
        title="What is stored here"
        text="This browser holds the whole GSV, so that it works without network."
      >
        <Usage />
      </Section>
      <Section
        title="Whether it is kept"
        text="Browsers may clear what sites store, unless they have promised to keep it."
      >
        <Keeping />
      </Section>
      <Section
        title="Ask for your password when GSV starts"
        text="What is stored here is sealed with a key of this browser. With your password asked for, that key is of no use to anybody else who has this device."
      >
        <PasswordLock />
      </Section>
      <Section
        title="Export everything"
        text="One file with all conversations, files and settings, from which an empty browser can be restored."
      >
        <Export />
      </Section>
      <Copies />
      <Section
        title="Remove from this browser"
        text="For a device that you give away, or to hold another GSV here."
      >
        <Removal />
      </Section>
    </>
  );
}

function Usage(): JSX.Element {
  const page = usePage();
  const [stored, setStored] = createSignal<Stored | null>();
  const [estimate, setEstimate] = createSignal<Estimate | null>();
  void page.gsv.call('sys.storage', {}).then(setStored, () => setStored(null));
  void readEstimate().then(setEstimate);
  const allowed = (): string => {
    const known = estimate();
    if (known == null) return known === null ? 'not known' : '…';
    return `${bytes(known.usage)} of ${bytes(known.quota)}`;
  };
  const used = (): number => {
    const known = estimate();
    return known == null || known.quota === 0 ? 0 : known.usage / known.quota;
  };
  const size = (name: keyof Stored): string => {
    const known = stored();
    if (known == null) return known === null ? 'not known' : '…';
    return bytes(known[name]);
  };
  return (
    <>
      <dl class="facts wide-facts">
        <Fact name="conversations, settings" value={size('documents')} />
        <Fact name="contents of files" value={size('blobs')} />
        <Fact name="of that only here" value={size('blobsOnlyHere')} />
        <Fact name="used of what the browser allows" value={allowed()} />
      </dl>
      <div class="storage-bar">
        <Bar value={used()} label="Used of what the browser allows" />
      </div>
      <p class="hint stored-hint">
        {onlyHereWords(stored() ?? undefined, page.status()?.waiting ?? 0, page.status()?.link === 'alone')}{' '}
        <Show when={stored()}>
          {(known) =>
            `Contents beyond ${bytes(known().blobCap)} that the server has too are dropped here and fetched again when they are read.`
          }
        </Show>
      </p>
    </>
  );
}

type Exporting = { state: 'idle' } | { state: 'busy'; count: number } | { state: 'done'; words: string };

function Export(): JSX.Element {
  const { gsv, notices } = usePage();
  const [exporting, setExporting] = createSignal<Exporting>({ state: 'idle' });
  const busy = (): boolean => exporting().state === 'busy';
  const words = (): string => {
    const now = exporting();
    if (now.state === 'idle') return '';
    return now.state === 'done' ? now.words : `${bytes(now.count)} so far…`;
  };
  const run = async (): Promise<void> => {
    setExporting({ state: 'busy', count: 0 });
    const saved = await notices.attempt('Nothing was exported', async () => {
      const { download } = await import('../../live/files.ts');
      return download(
        () => gsv.open('sys.export', {}),
        (count) => setExporting({ state: 'busy', count }),
      );
    });
    setExporting(
      saved === null
        ? { state: 'idle' }
        : { state: 'done', words: `${saved.name}, ${bytes(saved.size)}, is in your downloads.` },
    );
  };
  return (
    <>
      <div class="not-in-it">
        <p>
          <strong>Not in the file:</strong> passwords, the keys of model providers, and the tokens of devices
          and browsers. After restoring you choose a new password, enter keys again, and connect devices anew.
        </p>
        <p>
          All the rest is in it, and can be read by whoever has the file: keep it as you keep your papers.
        </p>
      </div>
      <div class="export-line">
        <button type="button" class="button primary" disabled={busy()} onClick={() => void run()}>
          {busy() ? 'Exporting…' : 'Export everything'}
        </button>
        <span class="hint" role="status">
          {words()}
        </span>
      </div>
    </>
  );
}
