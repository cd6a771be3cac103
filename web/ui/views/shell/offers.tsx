import { type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { sharedWords } from '../../live/shared.ts';
import { showHidden } from '../../parts/machine-text.ts';
import { takeShared } from './take-shared.ts';

/** A quiet row that offers something and can wait, one at a time. It takes room of its own and covers nothing. */
export function Offers(): JSX.Element {
  const page = usePage();
  const onPrivacy = (): boolean => {
    const route = page.router.route();
    return route.view === 'settings' && route.section === 'privacy';
  };
  const kind = (): 'shared' | 'update' | 'phrase' | 'install' | null => {
    if (page.shared() !== null) return 'shared';
    if (page.updateReady()) return 'update';
    if (page.phraseOffer.offered() && !onPrivacy()) return 'phrase';
    return page.installing.offered() ? 'install' : null;
  };
  return (
    <div class="offers" role="status">
      <Show when={page.home() !== undefined && page.shared()}>
        {(shared) => (
          <Offer
            text={`${showHidden(sharedWords(shared()))} was shared with GSV.`}
            yes="Add to the message"
            onYes={() => void takeShared(page, shared())}
            no="Discard"
            onNo={page.forgetShared}
          />
        )}
      </Show>
      <Show when={kind() === 'update'}>
        <Offer text="A new version is ready." yes="Update" onYes={() => page.shell.update()} />
      </Show>
      <Show when={kind() === 'phrase'}>
        <Offer
          text="Keep a recovery phrase, for the day when you have none of your browsers."
          yes="Make one"
          onYes={() => {
            page.phraseOffer.later();
            page.router.go('/settings/privacy');
          }}
          no="Not now"
          onNo={page.phraseOffer.later}
        />
      </Show>
      <Show when={kind() === 'install'}>
        <Show
          when={page.installing.way() === 'ask'}
          fallback={
            <Offer
              text="To keep GSV on your home screen: Share, then “Add to Home Screen”."
              no="Close"
              onNo={page.installing.later}
            />
          }
        >
          <Offer
            text="Install GSV, and it opens like an app, without network too."
            yes="Install"
            onYes={() => void page.installing.install()}
            no="Not now"
            onNo={page.installing.later}
          />
        </Show>
      </Show>
    </div>
  );
}

function Offer(props: {
  text: string;
  yes?: string;
  onYes?(): void;
  no?: string;
  onNo?(): void;
}): JSX.Element {
  return (
    <div class="offer">
      <p>{props.text}</p>
      <div class="offer-actions">
        <Show when={props.no}>
          <button type="button" class="button quiet" onClick={() => props.onNo?.()}>
            {props.no}
          </button>
        </Show>
        <Show when={props.yes}>
          <button type="button" class="button" onClick={() => props.onYes?.()}>
            {props.yes}
          </button>
        </Show>
      </div>
    </div>
  );
}
