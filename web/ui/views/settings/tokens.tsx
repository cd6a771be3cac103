import { createSignal, For, type JSX, Show } from 'solid-js';
import type { Result } from '../../../../shared/syscalls/table.ts';
import { usePage } from '../../context.ts';
import { createAsked } from '../../parts/asked.ts';
import { CopyLine } from '../../parts/copy-line.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { showHidden } from '../../parts/machine-text.ts';
import { Chip, Dot, Empty } from '../../parts/small.tsx';
import { fullTime, momentOfDay } from '../../parts/words.ts';

type Token = Result<'sys.token.list'>['tokens'][number];

const kinds: Record<Token['kind'], string> = { node: 'device', service: 'service', user: 'sign-in' };

export function TokenSettings(): JSX.Element {
  const { gsv, notices } = usePage();
  const tokens = createAsked(async () => {
    const answer = await notices.attempt('The tokens could not be listed', () =>
      gsv.call('sys.token.list', {}),
    );
    return (answer?.tokens ?? []).sort(
      (a, b) => Number(a.revokedAt !== null) - Number(b.revokedAt !== null) || b.createdAt - a.createdAt,
    );
  });
  const revoke = async (token: Token): Promise<void> => {
    const sure = await notices.confirm({
      title: `Revoke “${token.label ?? token.tokenPrefix}”?`,
      text: 'What uses it is disconnected at once.',
      action: 'Revoke',
      danger: true,
    });
    if (!sure) return;
    const { tokenId } = token;
    await notices.attempt('It was not revoked', () =>
      gsv.call('sys.token.revoke', { tokenId, reason: 'revoked in the settings' }),
    );
    await tokens.again();
  };
  return (
    <>
      <NewToken onMade={() => void tokens.again()} />
      <Show when={tokens.latest()?.length !== 0} fallback={<Empty title="No tokens." />}>
        <ul class="plain rows" aria-label="Tokens">
          <For each={tokens.latest()}>
            {(token) => <TokenRowView token={token} onRevoke={() => void revoke(token)} />}
          </For>
        </ul>
      </Show>
    </>
  );
}

/** In a sealed GSV a token commands one device; none is offered where it commands all of them. */
function createCommanded() {
  const { gsv, devices } = usePage();
  const seal = createAsked(() => gsv.call('sys.seal.get', {}));
  const [picked, choose] = createSignal<string>();
  const offered = (): string[] =>
    seal.latest()?.sealed
      ? devices.filter(({ pairAgain, revoked }) => !pairAgain && !revoked).map(({ deviceId }) => deviceId)
      : [];
  return { offered, choose, chosen: (): string => picked() ?? offered()[0] ?? '' };
}

/** A token for the command line. Its value is shown once, here. */
function NewToken(props: { onMade(): void }): JSX.Element {
  const { gsv, notices } = usePage();
  const [label, setLabel] = createSignal('');
  const commanded = createCommanded();
  const [made, setMade] = createSignal<string | null>(null);
  const make = async (): Promise<void> => {
    const name = label().trim();
    const answer = await notices.attempt('The token was not made', () =>
      gsv.call('sys.token.create', {
        kind: 'user',
        ...(name === '' ? {} : { label: name }),
        ...(commanded.chosen() === '' ? {} : { commands: commanded.chosen() }),
      }),
    );
    if (answer === null) return;
    setMade(answer.token.token);
    setLabel('');
    props.onMade();
  };
  return (
    <Form onSubmit={() => void make()}>
      <div class="with-button">
        <TextField
          label="New token for the command line"
          placeholder="What is it for?"
          maxLength={200}
          value={label()}
          onValue={setLabel}
        />
        <button type="submit" class="button">
          Make a token
        </button>
      </div>
      <Show when={commanded.offered().length > 0}>
        <SelectField
          label="For commands on"
          hint="This GSV is sealed: the token brings the secret of one device, and runs commands there with no browser open."
          value={commanded.chosen()}
          onValue={commanded.choose}
        >
          <For each={commanded.offered()}>{(deviceId) => <option value={deviceId}>{deviceId}</option>}</For>
          <option value="">no device: it leaves messages</option>
        </SelectField>
      </Show>
      <Show when={made()}>
        {(token) => (
          <div class="paste">
            <p role="status">This is the only time it is shown. Keep it where only you can read it.</p>
            <CopyLine name="The token" text={token()} copy="Copy" />
          </div>
        )}
      </Show>
    </Form>
  );
}

function TokenRowView(props: { token: Token; onRevoke(): void }): JSX.Element {
  const { now } = usePage();
  const revoked = () => props.token.revokedAt !== null;
  const expired = () => props.token.expiresAt !== null && props.token.expiresAt <= now();
  const history = (): string => {
    const { createdAt, lastUsedAt, revokedAt, revokedReason, expiresAt } = props.token;
    if (revokedAt !== null)
      return `revoked ${momentOfDay(revokedAt, now())}${revokedReason === null ? '' : `: ${showHidden(revokedReason)}`}`;
    const used = lastUsedAt === null ? 'never used' : `last used ${momentOfDay(lastUsedAt, now())}`;
    const end = expiresAt === null ? '' : expired() ? ' · expired' : ` · ends ${fullTime(expiresAt)}`;
    return `made ${momentOfDay(createdAt, now())} · ${used}${end}`;
  };
  return (
    <li class="row-card" classList={{ faded: revoked() }}>
      <Dot tone={revoked() ? 'bad' : expired() ? 'off' : 'good'} />
      <div class="row-main">
        <span class="row-title">{showHidden(props.token.label ?? 'Without a name')}</span>
        <p class="row-sub">{history()}</p>
      </div>
      <div class="tags">
        <Chip>{props.token.allowedDeviceId ?? kinds[props.token.kind]}</Chip>
        <Chip mono>{props.token.tokenPrefix}…</Chip>
      </div>
      <Show when={!revoked()}>
        <div class="row-actions">
          <button
            type="button"
            class="button"
            aria-label={`Revoke ${props.token.label ?? props.token.tokenPrefix}`}
            onClick={() => props.onRevoke()}
          >
            Revoke
          </button>
        </div>
      </Show>
    </li>
  );
}
