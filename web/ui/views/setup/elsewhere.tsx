import type { JSX } from 'solid-js';
import { focusSoon } from '../../parts/focus.ts';

/** How a GSV that is on another device comes here: by a link that is made there. */
export function ElsewhereView(props: { onBack(): void; onLost(): void }): JSX.Element {
  return (
    <main class="gate" id="main">
      <div class="gate-card">
        <header>
          <p class="brand-mark">GSV</p>
          <h1>GSV on another device</h1>
          <p class="hint">It is the same GSV on all of them. The link that brings it here is made there.</p>
        </header>
        <ol class="gate-steps">
          <li>On the other device, open GSV and go to Devices.</li>
          <li>
            Press <strong>Add a browser</strong>. A QR code and a link are shown for ten minutes.
          </li>
          <li>Scan the code with this device, or open the link in this browser.</li>
        </ol>
        <p class="gate-foot">
          All your browsers are lost?{' '}
          <button type="button" class="text-button" onClick={() => props.onLost()}>
            Use your recovery phrase
          </button>
        </p>
        <div class="form-actions">
          <button type="button" class="button" ref={focusSoon} onClick={() => props.onBack()}>
            Back
          </button>
        </div>
      </div>
    </main>
  );
}
