import { createSignal, type JSX } from 'solid-js';
import { usePage } from '../../context.ts';
import type { Sealing } from '../../live/sealing.ts';

/** Sealing a GSV that was not. */
export function SealNow(props: { sealing: Sealing }): JSX.Element {
  const { gsv, notices } = usePage();
  const [busy, setBusy] = createSignal(false);
  const seal = async (): Promise<void> => {
    const sure = await notices.confirm({
      title: 'Seal this GSV?',
      text: 'Keys are made in this browser, and your other browsers get them when they are next online. What the server has is removed there and put back sealed. A copy of everything is kept here first. Workstations are paired anew.',
      action: 'Seal it',
      danger: false,
    });
    if (!sure) return;
    setBusy(true);
    const sealed = await notices.attempt('It was not sealed', () => gsv.call('sys.seal.start', {}));
    if (sealed) notices.good('This GSV is sealed now. Make a recovery phrase next.');
    await props.sealing.refresh();
    setBusy(false);
  };
  return (
    <>
      <p class="hint">
        Sealed, the server passes on and keeps what only your browsers and paired workstations can read. It
        can then do nothing by itself with what you have written.
      </p>
      <div class="form-actions start">
        <button type="button" class="button primary" disabled={busy()} onClick={() => void seal()}>
          {busy() ? 'Sealing…' : 'Seal this GSV'}
        </button>
      </div>
    </>
  );
}
