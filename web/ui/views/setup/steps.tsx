import { createSignal, type JSX, Match, Show, Switch } from 'solid-js';
import { usePage } from '../../context.ts';
import { Toasts } from '../../parts/toasts.tsx';
import { DeviceInvite } from '../devices/invite.tsx';
import { ModelForm } from '../settings/model-form.tsx';
import { type Step, StepsBar } from './steps-bar.tsx';

/** What a new account goes on with. Both steps can be skipped, and found again in the settings. */
export function SetupSteps(props: { onDone(): void }): JSX.Element {
  const { notices, router } = usePage();
  const [step, setStep] = createSignal<Exclude<Step, 'account'>>('model');
  /** Downloading one takes minutes: the page of models says how far it is, and the wizard is over. */
  const chooseHere = (): void => {
    props.onDone();
    router.go('/settings/models');
  };
  return (
    <main class="gate" id="main">
      <Switch>
        <Match when={step() === 'model'}>
          <div class="gate-card">
            <header>
              <p class="brand-mark">GSV</p>
              <StepsBar at="model" />
              <h1>A model</h1>
              <p class="hint">
                GSV thinks with a language model of your choice. The key is sealed in this browser and never
                shown again.
              </p>
            </header>
            <ModelForm
              saveLabel="Continue"
              onSaved={() => setStep('device')}
              extra={
                <button type="button" class="button quiet" onClick={() => setStep('device')}>
                  Skip
                </button>
              }
            />
            <div class="gate-others">
              <p class="hint">
                Or let a model run in this browser: without network, without a key, and what you say stays
                here.
              </p>
              <button type="button" class="button" onClick={chooseHere}>
                Choose a model of this device
              </button>
            </div>
          </div>
        </Match>
        <Match when={step() === 'device'}>
          <div class="gate-card">
            <header>
              <p class="brand-mark">GSV</p>
              <StepsBar at="device" />
              <h1>A device</h1>
              <p class="hint">
                A workstation on which GSV may read files and run commands. It asks you before anything risky.
              </p>
            </header>
            <DeviceInvite
              actions={(state) => (
                <div class="form-actions">
                  <Show when={state !== 'connected'}>
                    <button type="button" class="button quiet" onClick={() => props.onDone()}>
                      {state === 'naming' ? 'Skip' : 'Go on without waiting'}
                    </button>
                  </Show>
                  <Show when={state === 'naming'}>
                    <button type="submit" class="button primary">
                      Make the line
                    </button>
                  </Show>
                  <Show when={state === 'connected'}>
                    <button type="button" class="button primary" onClick={() => props.onDone()}>
                      Begin
                    </button>
                  </Show>
                </div>
              )}
            />
          </div>
        </Match>
      </Switch>
      <Toasts notices={notices} />
    </main>
  );
}
