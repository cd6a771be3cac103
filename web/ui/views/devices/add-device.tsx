import { type JSX, Show } from 'solid-js';
import { Dialog } from '../../parts/dialog.tsx';
import { DeviceInvite } from './invite.tsx';

/** With `again` it is one that there is: it gets a new token in place of those that it had. */
export function AddDeviceDialog(props: { again?: string; onClose(): void }): JSX.Element {
  const { again } = props;
  return (
    <Dialog title={again === undefined ? 'Add a device' : `Pair ${again} again`} onClose={props.onClose}>
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
