import { type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { createPush, type PushState } from '../../live/push.ts';

const words: Record<PushState, string> = {
  looking: '…',
  on: 'The server tells this browser when an approval waits, a long run has ended, or a message has come. It says what kind of news and where, never what was written; it passes through the push service of your browser’s maker, which cannot read it.',
  off: 'This browser is not told of anything while GSV is closed.',
  denied:
    'This browser does not let GSV show notifications. You can change that in the browser’s settings of this site.',
  unsupported:
    'This browser cannot be told of anything while GSV is closed. On an iPhone or iPad it can, once GSV is on the home screen.',
};

/** Whether the server tells this browser of news while no page of GSV is open. */
export function PushSettings(): JSX.Element {
  const { gsv, notices } = usePage();
  const push = createPush(gsv);
  return (
    <>
      <p class="hint" role="status">
        {words[push.state()]}
      </p>
      <div class="form-actions start">
        <Show when={push.state() === 'off'}>
          <button
            type="button"
            class="button"
            onClick={() => void notices.attempt('It could not be turned on', push.turnOn)}
          >
            Tell this browser
          </button>
        </Show>
        <Show when={push.state() === 'on'}>
          <button
            type="button"
            class="button"
            onClick={() => void notices.attempt('It could not be turned off', push.turnOff)}
          >
            Stop telling it
          </button>
        </Show>
      </div>
    </>
  );
}
