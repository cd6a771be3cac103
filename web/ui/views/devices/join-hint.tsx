import { type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { createServerOwned } from '../../live/server-owner.ts';
import { Dot } from '../../parts/small.tsx';
import { sentences } from '../../parts/words.ts';

/** Devices reach this browser through its server: says how to join it, where that has not happened. */
export function JoinHint(): JSX.Element {
  const { status } = usePage();
  return (
    <>
      <Show when={status()?.link === 'alone'}>
        <AloneHint />
      </Show>
      <Show when={status()?.link === 'refused'}>
        <div class="notice bad" role="note">
          <Dot tone="bad" />
          <p>
            <strong>
              {status()?.locked ? 'This browser was shut out.' : 'The server refuses this browser.'}
            </strong>{' '}
            {sentences(status()?.linkReason, 'Devices cannot be reached from here until it has joined again')}
          </p>
        </div>
      </Show>
    </>
  );
}

function AloneHint(): JSX.Element {
  const owned = createServerOwned();
  return (
    <div class="notice" role="note">
      <Dot tone="wait" />
      <p>
        <strong>This browser works on its own.</strong>{' '}
        <Show
          when={owned()}
          fallback={
            <>
              Devices connect through the server, and this browser has not joined it yet. Open the claim link
              that the server printed when it was started: it begins with <code>{location.origin}</code> and
              ends in <code>#claim=…</code>. Everything that is here stays.
            </>
          }
        >
          The server {location.host} belongs to another GSV. If that one is yours, open it here: export what
          you want to keep and remove this one (Settings, Storage), then use the link of “Add a browser”
          there.
        </Show>
      </p>
    </div>
  );
}
