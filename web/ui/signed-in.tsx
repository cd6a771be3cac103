import { createSignal, type JSX, Show } from 'solid-js';
import type { Gsv } from '../client/gsv.ts';
import type { Shell } from '../client/shell.ts';
import { PageContext } from './context.ts';
import { createPage } from './create-page.ts';
import { SetupSteps } from './views/setup/steps.tsx';
import { Frame } from './views/shell/frame.tsx';

/** What somebody who is known sees. A new account (`fresh`) goes on with the wizard's other steps first. */
export function SignedIn(props: {
  gsv: Gsv;
  shell: Shell;
  fresh: boolean;
  onSignedOut(): void;
}): JSX.Element {
  const [steps, setSteps] = createSignal(props.fresh);
  const page = createPage(props.gsv, props.shell, props.onSignedOut);
  return (
    <PageContext.Provider value={page}>
      <Show when={!steps()} fallback={<SetupSteps onDone={() => setSteps(false)} />}>
        <Frame />
      </Show>
    </PageContext.Provider>
  );
}
