import { type Accessor, createSignal, type JSX, Show } from 'solid-js';
import { addressProblem, isOwnHostOnly, reachedAt, rememberReachedAt } from '../../live/reached-at.ts';
import { AddressField } from '../../parts/field.tsx';

type Reader = 'browser' | 'workstation';
export type ReachedAt = { origin: Accessor<string>; say(address: string): void };

/** The origin that links and lines for other devices begin with. */
export function createReachedAt(forWhom: Reader): ReachedAt {
  const [origin, setOrigin] = createSignal(reachedAt(forWhom));
  return {
    origin,
    say(address) {
      rememberReachedAt(address);
      setOrigin(reachedAt(forWhom));
    },
  };
}

const asked = {
  browser: {
    summary: 'For a phone or another computer',
    why: 'Other devices cannot reach localhost.',
    how: 'Give this server an HTTPS address (Tailscale, Caddy and nginx make one), start GSV with it, and type it here.',
    line: 'npm start -- --public-url https://gsv.example.org',
    example: 'https://gsv.example.org',
  },
  workstation: {
    summary: 'For another machine than this one',
    why: 'localhost is this computer alone.',
    how: 'Start GSV so that others reach it, and type the address of this computer here.',
    line: 'npm start -- --host 0.0.0.0',
    example: 'http://192.168.1.20:1999',
  },
} as const;

/** Shown on localhost, which leads every device to itself: the address under which others reach this server. */
export function ReachedAtForm(props: { for: Reader; reached: ReachedAt }): JSX.Element {
  const words = () => asked[props.for];
  const own = (): boolean => isOwnHostOnly(new URL(props.reached.origin()).hostname);
  const [typed, setTyped] = createSignal(own() ? '' : props.reached.origin());
  const [problem, setProblem] = createSignal<string | null>(null);
  const use = (): void => {
    setProblem(addressProblem(typed(), props.for));
    if (problem() === null) props.reached.say(typed());
  };
  return (
    <Show when={isOwnHostOnly(location.hostname)}>
      <details class="more" open={own() && props.for === 'browser'}>
        <summary>{own() ? words().summary : 'At another address'}</summary>
        <div class="form">
          <p class="hint">
            <strong>{words().why}</strong> {words().how}
            <code class="line">{words().line}</code>
          </p>
          <div class="with-button">
            <AddressField
              label="Address of this server"
              placeholder={words().example}
              value={typed()}
              problem={problem()}
              onValue={(value) => {
                setTyped(value);
                setProblem(null);
              }}
              onKeyDown={(event) => {
                // The form around it asks for something else.
                if (event.key !== 'Enter') return;
                event.preventDefault();
                use();
              }}
            />
            <button type="button" class="button" onClick={use}>
              Use it
            </button>
          </div>
        </div>
      </details>
    </Show>
  );
}
