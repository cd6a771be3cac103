import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import type { Result } from '../../../../shared/syscalls/table.ts';
import { usePage } from '../../context.ts';
import { abilityWords, deviceState, deviceWords, type LiveDevice, lastSeen } from '../../live/devices.ts';
import { createAsked } from '../../parts/asked.ts';
import { Icon } from '../../parts/icon.tsx';
import { showHidden } from '../../parts/machine-text.ts';
import { Chip, Dot, Empty, type Tone } from '../../parts/small.tsx';
import { fullTime } from '../../parts/words.ts';
import { ViewHead } from '../shell/view-head.tsx';
import { AddDeviceDialog } from './add-device.tsx';
import { Browsers } from './browsers.tsx';
import { InlineEdit } from './inline-edit.tsx';
import { JoinHint } from './join-hint.tsx';
import { PairAgain } from './pair-again.tsx';
import { StartAgain } from './start-again.tsx';

type Token = Result<'sys.token.list'>['tokens'][number];

export const deviceTones: Record<ReturnType<typeof deviceState>, Tone> = {
  online: 'good',
  offline: 'off',
  'never connected': 'off',
  revoked: 'bad',
};

/** Device tokens by device id; a revoked token is no way in any more. */
function createDeviceTokens() {
  const { gsv, devices, overlay } = usePage();
  const tokens = createAsked(
    async () => (await gsv.call('sys.token.list', {})).tokens,
    // Looked up again when devices come and go, and when one may have been added.
    () => [devices.map((row) => `${row.deviceId}${row.online}${row.revoked}`).join(), overlay()],
  );
  const open = (): Token[] =>
    (tokens.latest() ?? []).filter(
      (token) => token.kind === 'node' && token.allowedDeviceId !== null && token.revokedAt === null,
    );
  return { open, again: tokens.again };
}

export function DevicesView(): JSX.Element {
  const page = usePage();
  const tokens = createDeviceTokens();
  const [again, setAgain] = createSignal<string | null>(null);
  const awaited = createMemo(() => {
    const known = new Set(page.devices.map((row) => row.deviceId));
    return [...new Set(tokens.open().map((token) => token.allowedDeviceId ?? ''))].filter(
      (id) => !known.has(id),
    );
  });
  const revoke = async (deviceId: string): Promise<void> => {
    const sure = await page.notices.confirm({
      title: `Revoke “${deviceId}”?`,
      text: 'Its connection closes at once, and it cannot come back with the token that it has.',
      action: 'Revoke',
      danger: true,
    });
    if (!sure) return;
    for (const token of tokens.open().filter((entry) => entry.allowedDeviceId === deviceId)) {
      await page.notices.attempt('The token was not revoked', () =>
        page.gsv.call('sys.token.revoke', { tokenId: token.tokenId, reason: 'revoked on the devices page' }),
      );
    }
    void tokens.again();
  };
  return (
    <main class="view" id="main">
      <ViewHead title="Devices" />
      <div class="view-body">
        <section class="group" aria-labelledby="workstations">
          <header class="group-head">
            <div>
              <h2 id="workstations">Workstations</h2>
              <p class="hint">Machines on which GSV may read files and run commands.</p>
            </div>
            <button type="button" class="button" onClick={() => page.show('add-device')}>
              <Icon name="plus" size={16} />
              Add a device
            </button>
          </header>
          <JoinHint />
          <Show
            when={page.devices.length + awaited().length > 0}
            fallback={
              <Empty title="No device yet.">
                Add a workstation or a server, and paste the line that is shown into a terminal there.
              </Empty>
            }
          >
            <ul class="plain rows" aria-label="Devices">
              <For each={page.devices}>
                {(row) => (
                  <DeviceCard
                    row={row}
                    revocable={tokens.open().some((token) => token.allowedDeviceId === row.deviceId)}
                    onRevoke={() => void revoke(row.deviceId)}
                    onPairAgain={() => setAgain(row.deviceId)}
                  />
                )}
              </For>
              <For each={awaited()}>
                {(id) => (
                  <AwaitedCard id={id} onRevoke={() => void revoke(id)} onPairAgain={() => setAgain(id)} />
                )}
              </For>
            </ul>
          </Show>
        </section>
        <Browsers />
      </div>
      <Show when={again()} keyed>
        {(deviceId) => <AddDeviceDialog again={deviceId} onClose={() => setAgain(null)} />}
      </Show>
    </main>
  );
}

function AwaitedCard(props: { id: string; onRevoke(): void; onPairAgain(): void }): JSX.Element {
  return (
    <li class="row-card">
      <Dot tone="off" />
      <div class="row-main">
        <span class="row-title">{props.id}</span>
        <p class="row-sub">never connected: paste its line there, or pair it again for a new one</p>
      </div>
      <div class="row-actions">
        <PairAgain deviceId={props.id} onPress={() => props.onPairAgain()} />
        <button
          type="button"
          class="button"
          aria-label={`Revoke ${props.id}`}
          onClick={() => props.onRevoke()}
        >
          Revoke
        </button>
      </div>
    </li>
  );
}

function DeviceCard(props: {
  row: LiveDevice;
  revocable: boolean;
  onRevoke(): void;
  onPairAgain(): void;
}): JSX.Element {
  const page = usePage();
  const state = () => deviceState(props.row);
  const linkOnline = (): boolean => page.status()?.link === 'online';
  /** Its line was shown once, and may have been lost; or it was revoked. */
  const pairs = (): boolean => props.row.pairAgain || state() === 'never connected' || state() === 'revoked';
  return (
    <li class="row-card">
      <Dot tone={deviceTones[state()]} />
      <div class="row-main">
        <span class="row-title">{props.row.deviceId}</span>
        <p class="row-sub" title={lastSeen(props.row) > 0 ? fullTime(lastSeen(props.row)) : undefined}>
          {deviceWords(props.row, linkOnline(), page.now())}
          {props.row.platform === '' ? '' : ` · ${showHidden(props.row.platform)}`}
          {props.row.version === '' ? '' : ` · driver ${showHidden(props.row.version)}`}
        </p>
        <Show when={props.row.pairAgain}>
          <p class="problem">
            Added before this GSV was sealed, so the server could read what passes. Nothing is sent to it
            until it is paired again.
          </p>
        </Show>
        <Description row={props.row} />
        <div class="tags">
          <For each={props.row.implements}>
            {(name) => <Chip title={name}>{showHidden(abilityWords(name))}</Chip>}
          </For>
        </div>
        <Show when={props.revocable && state() === 'offline'}>
          <StartAgain deviceId={props.row.deviceId} onPairAgain={props.onPairAgain} />
        </Show>
      </div>
      <div class="row-actions">
        <Show when={pairs()}>
          <PairAgain
            deviceId={props.row.deviceId}
            urgent={props.row.pairAgain}
            onPress={() => props.onPairAgain()}
          />
        </Show>
        <Show when={props.revocable && state() !== 'revoked'}>
          <button
            type="button"
            class="button"
            aria-label={`Revoke ${props.row.deviceId}`}
            onClick={() => props.onRevoke()}
          >
            Revoke
          </button>
        </Show>
      </div>
    </li>
  );
}

/** What processes are told about the device. */
function Description(props: { row: LiveDevice }): JSX.Element {
  const { gsv, notices } = usePage();
  const save = (description: string): Promise<unknown> =>
    notices.attempt('The description was not kept', () =>
      gsv.call('sys.device.update', { deviceId: props.row.deviceId, description }),
    );
  return (
    <InlineEdit
      text={props.row.description}
      label={`Description of ${props.row.deviceId}`}
      edit={`Edit the description of ${props.row.deviceId}`}
      word="Edit"
      maxLength={2_000}
      onSave={save}
    >
      {showHidden(props.row.description) || 'No description.'}
    </InlineEdit>
  );
}
