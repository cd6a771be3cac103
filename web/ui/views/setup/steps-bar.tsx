import { For, type JSX } from 'solid-js';

export type Step = 'account' | 'model' | 'device';
const steps: readonly { id: Step; name: string }[] = [
  { id: 'account', name: 'Account' },
  { id: 'model', name: 'Model' },
  { id: 'device', name: 'Device' },
];

export function StepsBar(props: { at: Step }): JSX.Element {
  const place = (): number => steps.findIndex((step) => step.id === props.at);
  return (
    <ol class="plain steps-bar" aria-label="Steps of the setup">
      <For each={steps}>
        {(step, index) => (
          <li
            classList={{ done: index() < place() }}
            aria-current={step.id === props.at ? 'step' : undefined}
          >
            {step.name}
          </li>
        )}
      </For>
    </ol>
  );
}
