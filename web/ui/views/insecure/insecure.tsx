import type { JSX } from 'solid-js';
import { sameComputerAddress } from '../../live/reached-at.ts';

/** What stands here where the browser gives a page neither keys nor storage: an address without HTTPS. */
export function InsecureView(): JSX.Element {
  return (
    <main class="gate" id="main">
      <div class="gate-card">
        <header>
          <p class="brand-mark">GSV</p>
          <h1>This address needs HTTPS</h1>
          <p class="hint">
            The server <strong>{location.host}</strong> is there. But a browser gives a page the keys and the
            storage that GSV works with only over HTTPS, or on the computer itself.
          </p>
        </header>
        <ul class="gate-steps">
          <li>
            On the computer on which GSV runs, open{' '}
            <a href={sameComputerAddress(location)}>{sameComputerAddress(location)}</a>.
          </li>
          <li>
            For every other device, put an HTTPS address before it (Tailscale, Caddy, nginx), and start GSV
            with that address:
            <code class="line">npm start -- --public-url https://gsv.example.org</code>
          </li>
        </ul>
      </div>
    </main>
  );
}
