import { createSignal, type JSX } from 'solid-js';
import { usePage } from '../../context.ts';
import type { Sealing } from '../../live/sealing.ts';
import { bytes } from '../../parts/words.ts';

/** Seals a GSV that was not, once a copy of everything is in the downloads. */
export function SealNow(props: { sealing: Sealing }): JSX.Element {
  const { gsv, notices } = usePage();
  const [doing, setDoing] = createSignal<string | null>(null);
  const copy = async (): Promise<boolean> => {
    setDoing('Copying everything first…');
    const saved = await notices.attempt('It was not sealed, because no copy could be made', async () => {
      const { download } = await import('../../live/files.ts');
      const said = (count: number) => setDoing(`Copying everything first, ${bytes(count)} so far…`);
      return download(() => gsv.open('sys.export', {}), said);
    });
    return saved !== null;
  };
  const seal = async (): Promise<void> => {
    const sure = await notices.confirm({
      title: 'Seal this GSV?',
      text: 'A copy of everything goes to your downloads first. Then keys are made in this browser, and your other browsers get them when they are next online. What the server has is removed there and put back sealed. Workstations are paired anew.',
      action: 'Seal it',
      danger: false,
    });
    if (!sure || !(await copy())) return;
    setDoing('Sealing…');
    const sealed = await notices.attempt('It was not sealed', () => gsv.call('sys.seal.start', {}));
    if (sealed) notices.good('This GSV is sealed now. Make a recovery phrase next.');
    await props.sealing.refresh();
  };
  return (
    <>
      <p class="hint">
        Sealed, the server passes on and keeps what only your browsers and paired workstations can read. It
        can then do nothing by itself with what you have written.
      </p>
      <div class="export-line">
        <button
          type="button"
          class="button primary"
          disabled={doing() !== null}
          onClick={() => void seal().finally(() => setDoing(null))}
        >
          Seal this GSV
        </button>
        <span class="hint" role="status">
          {doing() ?? ''}
        </span>
      </div>
    </>
  );
}
