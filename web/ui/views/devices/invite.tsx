import { createSignal, type JSX, Show } from 'solid-js';
import { type Page, usePage } from '../../context.ts';
import { deviceState } from '../../live/devices.ts';
import { connectLine, deviceIdProblem } from '../../live/invitation.ts';
import { CopyLine } from '../../parts/copy-line.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Dot } from '../../parts/small.tsx';
import { JoinHint } from './join-hint.tsx';
import { createReachedAt, ReachedAtForm } from './reached-at-form.tsx';

/**
 * Names a device, makes its token, shows the line to paste, and waits until it connects. With `again` it is a device
 * that there is, whose earlier tokens end.
 */
export function DeviceInvite(props: {
  again?: string;
  onConnected?: (deviceId: string) => void;
  actions: (state: 'naming' | 'waiting' | 'connected') => JSX.Element;
}): JSX.Element {
  const page = usePage();
  const [id, setId] = createSignal('');
  const [problem, setProblem] = createSignal<string | null>(null);
  const [invited, setInvited] = createSignal<Invited | null>(null);
  const device = (deviceId: string | undefined) => page.devices.find((row) => row.deviceId === deviceId);
  const connected = (): boolean => {
    const row = device(invited()?.deviceId);
    return row !== undefined && deviceState(row) === 'online' && row.connectedAt !== invited()?.before;
  };
  const invite = async (): Promise<void> => {
    const deviceId = props.again ?? id().trim();
    setProblem(deviceIdProblem(deviceId));
    if (problem() !== null) return;
    const answer = await page.notices.attempt('The token was not made', () =>
      page.gsv.call('sys.token.create', { kind: 'node', allowedDeviceId: deviceId, label: deviceId }),
    );
    if (answer === null) return;
    const { token, tokenId } = answer.token;
    // What runs under an earlier token is not what will connect.
    const before = props.again === undefined ? undefined : device(deviceId)?.connectedAt;
    setInvited({ deviceId, token, before });
    if (props.again !== undefined)
      await page.notices.attempt('An earlier token was not revoked', () =>
        endOthers(page, deviceId, tokenId),
      );
  };
  if (props.again !== undefined) void invite();
  return (
    <Form onSubmit={() => void invite()}>
      <JoinHint />
      <Show when={props.again}>
        <p class="hint">
          The token that {props.again} had before is no longer good. If its driver still runs there, stop it
          first (Ctrl-C).
        </p>
      </Show>
      <Show
        when={invited()}
        fallback={
          <Show when={props.again === undefined}>
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
          </Show>
        }
      >
        {(made) => <PasteLine deviceId={made().deviceId} token={made().token} connected={connected()} />}
      </Show>
      {props.actions(invited() === null ? 'naming' : connected() ? 'connected' : 'waiting')}
    </Form>
  );
}

/** `before`: when the device last connected under an earlier token. */
type Invited = { deviceId: string; token: string; before: number | null | undefined };

/** Revokes the tokens of a device but one. */
async function endOthers({ gsv }: Page, deviceId: string, kept: string): Promise<void> {
  const { tokens } = await gsv.call('sys.token.list', {});
  for (const { tokenId, allowedDeviceId, revokedAt } of tokens)
    if (allowedDeviceId === deviceId && revokedAt === null && tokenId !== kept)
      await gsv.call('sys.token.revoke', { tokenId, reason: 'paired again' });
}

function PasteLine(props: { deviceId: string; token: string; connected: boolean }): JSX.Element {
  const reached = createReachedAt('workstation');
  const line = (): string => connectLine(reached.origin(), props.deviceId, props.token);
  return (
    <div class="paste">
      <p>
        Paste this line into a terminal on <strong>{props.deviceId}</strong>. It needs Node 20.19 or newer.
        The token in it is shown only now.
      </p>
      <CopyLine name="The line to paste" text={line()} copy="Copy the line" />
      <p class="paste-state" role="status">
        <Dot tone={props.connected ? 'good' : 'busy'} beats={!props.connected} />
        {props.connected ? `${props.deviceId} is connected.` : 'Waiting for it to connect…'}
      </p>
      <Show when={!props.connected}>
        <ReachedAtForm for="workstation" reached={reached} />
      </Show>
    </div>
  );
}
