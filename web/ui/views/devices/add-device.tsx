import { type JSX, Show } from 'solid-js';
import { Dialog } from '../../parts/dialog.tsx';
import { DeviceInvite } from './invite.tsx';

/** With `again` it is one that there is: it gets a new token in place of those that it had. */
export function AddDeviceDialog(props: { again?: string; onClose(): void }): JSX.Element {
  const { again } = props;
  return (
    <Dialog title={again === undefined ? 'Add a device' : `Pair ${again} again`} onClose={props.onClose}>
      <Show when={again}>
        <p class="dialog-text">
          Stop the driver that runs on {again}, then start it with the new line. The token that it had is no
          longer good.
        </p>
      </Show>
      <DeviceInvite
        {...(again === undefined ? {} : { again })}
        actions={(state) => (
          <div class="dialog-actions">
            <button
              type="button"
              class="button"
              classList={{ primary: state === 'connected' }}
              onClick={() => props.onClose()}
            >
              {state === 'naming' && again === undefined ? 'Cancel' : 'Done'}
            </button>
            <Show when={state === 'naming' && again === undefined}>
              <button type="submit" class="button primary">
                Make the line
              </button>
            </Show>
          </div>
        )}
      />
    </Dialog>
  );
}
