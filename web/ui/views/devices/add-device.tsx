import { type JSX, Show } from 'solid-js';
import { Dialog } from '../../parts/dialog.tsx';
import { DeviceInvite } from './invite.tsx';

export function AddDeviceDialog(props: { onClose(): void }): JSX.Element {
  return (
    <Dialog title="Add a device" onClose={props.onClose}>
      <DeviceInvite
        actions={(state) => (
          <div class="dialog-actions">
            <button
              type="button"
              class="button"
              classList={{ primary: state === 'connected' }}
              onClick={() => props.onClose()}
            >
              {state === 'naming' ? 'Cancel' : 'Done'}
            </button>
            <Show when={state === 'naming'}>
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
