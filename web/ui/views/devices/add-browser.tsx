import { createEffect, createSignal, type JSX, Match, on, onCleanup, Show, Switch } from 'solid-js';
import { messageOf } from '../../../../shared/protocol/errors.ts';
import { type Page, usePage } from '../../context.ts';
import { timeLeft } from '../../live/inviting.ts';
import { isOwnHostOnly } from '../../live/reached-at.ts';
import { type LiveReplica, newcomer } from '../../live/replicas.ts';
import { CopyLine } from '../../parts/copy-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { showHidden } from '../../parts/machine-text.ts';
import { QrCode } from '../../parts/qr.tsx';
import { Dot } from '../../parts/small.tsx';
import { inviteLink } from '../../route.ts';
import { BrowserName } from './browser-name.tsx';
import { JoinHint } from './join-hint.tsx';
import { createReachedAt, ReachedAtForm } from './reached-at-form.tsx';

type Invite = { secret: string; expiresAt: number; before: ReadonlySet<string> };

/** The invitation that the dialog shows. It is made as soon as the server is there. */
function createInvite(page: Page) {
  const [invite, setInvite] = createSignal<Invite | null>(null);
  const [problem, setProblem] = createSignal('');
  const make = async (): Promise<void> => {
    setProblem('');
    const before = new Set(page.replicas.map((row) => row.replicaId));
    try {
      const { secret, expiresAt } = await page.gsv.call('sys.invite.create', {});
      setInvite({ secret, expiresAt, before });
    } catch (thrown) {
      setProblem(messageOf(thrown));
    }
  };
  createEffect(
    on(
      () => page.status()?.link === 'online',
      (online) => {
        if (online && invite() === null) void make();
      },
    ),
  );
  const joined = (): LiveReplica | undefined => {
    const made = invite();
    return made === null ? undefined : newcomer(page.replicas, made.before);
  };
  return { invite, problem, make, joined };
}

export function AddBrowserDialog(): JSX.Element {
  const page = usePage();
  const { invite, problem, make, joined } = createInvite(page);
  const link = () => page.status()?.link;
  return (
    <Dialog title="Add a browser" onClose={() => page.show('none')}>
      {/* Always there, so that a screen reader hears who came. */}
      <div role="status" class="joined">
        <Show when={joined()}>
          {(row) => (
            <>
              <Icon name="check" size={32} />
              <p class="link-words">{showHidden(row().name)} joined</p>
            </>
          )}
        </Show>
      </div>
      <Switch fallback={<p class="dialog-text">Asking the server…</p>}>
        <Match when={joined()}>{(row) => <Joined row={row()} />}</Match>
        <Match when={invite()} keyed>
          {(made) => <InviteView invite={made} onAgain={() => void make()} />}
        </Match>
        <Match when={link() === 'alone'}>
          <JoinHint />
          <p class="dialog-text">
            Another browser gets everything from the server, so this one has to join it first.
          </p>
        </Match>
        <Match when={link() !== undefined && link() !== 'online'}>
          <p class="paste-state" role="status">
            <Dot tone="bad" />
            The server cannot be reached. Another browser gets everything from it, so this waits until it is
            back.
          </p>
        </Match>
        <Match when={problem() !== ''}>
          <p class="problem" role="alert">
            The link was not made: {problem()}
          </p>
          <div class="dialog-actions">
            <button type="button" class="button primary" onClick={() => void make()}>
              Try again
            </button>
          </div>
        </Match>
      </Switch>
      <div class="dialog-actions">
        <button
          type="button"
          class="button"
          classList={{ primary: joined() !== undefined }}
          onClick={() => page.show('none')}
        >
          Done
        </button>
      </div>
    </Dialog>
  );
}

function Joined(props: { row: LiveReplica }): JSX.Element {
  return (
    <div class="joined-name">
      <p class="hint">It holds this GSV now. Give it a name by which you know it:</p>
      <BrowserName row={props.row} />
    </div>
  );
}

function InviteView(props: { invite: Invite; onAgain(): void }): JSX.Element {
  const reached = createReachedAt('browser');
  const address = (): string => inviteLink(reached.origin(), props.invite.secret);
  const onlyHere = (): boolean => isOwnHostOnly(new URL(reached.origin()).hostname);
  const [left, setLeft] = createSignal(timeLeft(props.invite.expiresAt, Date.now()));
  const timer = setInterval(() => setLeft(timeLeft(props.invite.expiresAt, Date.now())), 1_000);
  onCleanup(() => clearInterval(timer));
  return (
    <div class="invite" classList={{ over: left() === null }}>
      <Show
        when={onlyHere()}
        fallback={
          <>
            <QrCode text={address()} label="The link as a QR code" />
            <p class="invite-how">Scan this with the other device, or open the link there.</p>
          </>
        }
      >
        <p class="invite-how">The link opens in another browser on this computer.</p>
      </Show>
      <CopyLine name="The link" text={address()} copy="Copy the link" />
      <p class="invite-time">
        <Dot tone={left() === null ? 'off' : 'busy'} />
        <span>
          {left() === null ? 'This link has expired.' : 'Works once, and for another '}
          <time class="mono">{left()}</time>
        </span>
        <button type="button" class="text-button" onClick={() => props.onAgain()}>
          Make a new one
        </button>
      </p>
      <p class="hint">Whoever opens it gets everything that is here: show it to nobody else.</p>
      <ReachedAtForm for="browser" reached={reached} />
    </div>
  );
}
