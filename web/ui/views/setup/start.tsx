import { createSignal, type JSX, lazy, Match, Show, Suspense, Switch } from 'solid-js';
import type { Gsv } from '../../../client/gsv.ts';
import { createServerOwned } from '../../live/server-owner.ts';
import { Dot } from '../../parts/small.tsx';
import { claimSecret } from '../../route.ts';
import { AccountView } from './account.tsx';

const ElsewhereView = lazy(async () => ({ default: (await import('./elsewhere.tsx')).ElsewhereView }));
const PhraseView = lazy(async () => ({ default: (await import('./phrase.tsx')).PhraseView }));
const RestoreView = lazy(async () => ({ default: (await import('./restore.tsx')).RestoreView }));

/** An empty browser: a new GSV, one that is on another device, or one that was exported. */
export function StartView(props: { gsv: Gsv; onDone(): void; onRestored(): void }): JSX.Element {
  const [place, setPlace] = createSignal<'new' | 'elsewhere' | 'restore' | 'phrase'>('new');
  const owned = createServerOwned();
  const back = (): void => {
    setPlace('new');
  };
  return (
    <Suspense fallback={<main class="gate" aria-busy="true" />}>
      <Switch>
        <Match when={place() === 'new'}>
          <AccountView
            gsv={props.gsv}
            onDone={props.onDone}
            before={
              <Show when={owned() && claimSecret(location.hash) === null}>
                <OwnedNote onElsewhere={() => setPlace('elsewhere')} />
              </Show>
            }
            others={
              <div class="gate-others">
                <button type="button" class="text-button" onClick={() => setPlace('elsewhere')}>
                  I have GSV on another device
                </button>
                <button type="button" class="text-button" onClick={() => setPlace('restore')}>
                  Restore from an exported file
                </button>
              </div>
            }
          />
        </Match>
        <Match when={place() === 'elsewhere'}>
          <ElsewhereView onBack={back} onLost={() => setPlace('phrase')} />
        </Match>
        <Match when={place() === 'phrase'}>
          <PhraseView gsv={props.gsv} onBack={() => setPlace('elsewhere')} onDone={props.onRestored} />
        </Match>
        <Match when={place() === 'restore'}>
          <RestoreView gsv={props.gsv} onBack={back} onDone={props.onRestored} />
        </Match>
      </Switch>
    </Suspense>
  );
}

/** Whoever opens the address of their GSV in a second browser is not led into making another one. */
function OwnedNote(props: { onElsewhere(): void }): JSX.Element {
  return (
    <div class="notice" role="note">
      <Dot tone="wait" />
      <div>
        <p>
          <strong>{location.host} has a GSV already.</strong> If it is yours, bring it here. What you begin
          below is another one, in this browser alone.
        </p>
        <button type="button" class="button" onClick={() => props.onElsewhere()}>
          Bring my GSV here
        </button>
      </div>
    </div>
  );
}
