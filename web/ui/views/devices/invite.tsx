import { createSignal, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { deviceState } from '../../live/devices.ts';
import { connectLine, deviceIdProblem } from '../../live/invitation.ts';
import { TextField } from '../../parts/field.tsx';
import { CopyButton, Dot, scrollable } from '../../parts/small.tsx';
import { JoinHint } from './join-hint.tsx';

/** Names a device, makes its token, shows the line to paste, and waits until it connects. */
export function DeviceInvite(props: {
  onConnected?: (deviceId: string) => void;
  actions: (state: 'naming' | 'waiting' | 'connected') => JSX.Element;
}): JSX.Element {
  const page = usePage();
  const [id, setId] = createSignal('');
  const [problem, setProblem] = createSignal<string | null>(null);
  const [invited, setInvited] = createSignal<{ deviceId: string; line: string } | null>(null);
  const connected = (): boolean => {
    const device = page.devices.find((row) => row.deviceId === invited()?.deviceId);
    return device !== undefined && deviceState(device) === 'online';
  };
  const invite = async (): Promise<void> => {
    const deviceId = id().trim();
    setProblem(deviceIdProblem(deviceId));
    if (problem() !== null) return;
    const answer = await page.notices.attempt('The token was not made', () =>
      page.gsv.call('sys.token.create', { kind: 'node', allowedDeviceId: deviceId, label: deviceId }),
    );
    if (answer !== null)
      setInvited({ deviceId, line: connectLine(location.origin, deviceId, answer.token.token) });
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void invite();
      }}
    >
      <JoinHint />
      <Show
        when={invited()}
        fallback={
          <TextField
            label="Name of the device"
            hint="Lower-case letters, digits, dots and dashes: laptop, build-box."
            placeholder="laptop"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            mono
            autofocus
            value={id()}
            problem={problem()}
            onValue={(value) => {
              setId(value);
              setProblem(null);
            }}
          />
        }
      >
        {(made) => <PasteLine deviceId={made().deviceId} line={made().line} connected={connected()} />}
      </Show>
      {props.actions(invited() === null ? 'naming' : connected() ? 'connected' : 'waiting')}
    </form>
  );
}

function PasteLine(props: { deviceId: string; line: string; connected: boolean }): JSX.Element {
  return (
    <div class="paste">
      <p>
        Paste this line into a terminal on <strong>{props.deviceId}</strong>. It needs Node 20.19 or newer.
        The token in it is shown only now.
      </p>
      <div class="paste-line">
        <code dir="ltr" {...scrollable('The line to paste')}>
          {props.line}
        </code>
        <CopyButton text={props.line} label="Copy the line" />
      </div>
      <p class="paste-state" role="status">
        <Dot tone={props.connected ? 'good' : 'busy'} beats={!props.connected} />
        {props.connected ? `${props.deviceId} is connected.` : 'Waiting for it to connect…'}
      </p>
    </div>
  );
}
