import { createSignal, For, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { applyTheme, storedTheme, type Theme, themes } from '../../parts/theme.ts';

const themeNames: Record<Theme, string> = { system: 'As the system', light: 'Light', dark: 'Dark' };

export function AppearanceSettings(): JSX.Element {
  const [theme, setTheme] = createSignal(storedTheme());
  return (
    <fieldset class="choices">
      <legend>Theme</legend>
      <For each={themes}>
        {(choice) => (
          <label>
            <input
              type="radio"
              name="theme"
              value={choice}
              checked={theme() === choice}
              onChange={() => {
                setTheme(choice);
                applyTheme(choice);
              }}
            />
            {themeNames[choice]}
          </label>
        )}
      </For>
    </fieldset>
  );
}

/** How GSV becomes an app of this device, in words for each way. */
export function AppSettings(): JSX.Element {
  const { installing } = usePage();
  const words = (): string => {
    switch (installing.way()) {
      case 'done':
        return 'GSV is an app of this device.';
      case 'ask':
        return 'As an app it has its own window and icon, opens without network, and browsers keep what it stores.';
      case 'by hand':
        return 'In Safari: press Share, then “Add to Home Screen”. Opened from there, it works without network, and what it stores is kept.';
      case 'no':
        return 'This browser does not offer it now. Many have it in their menu, as “Install” or “Add to home screen”.';
    }
  };
  return (
    <>
      <p class="hint">{words()}</p>
      <Show when={installing.way() === 'ask'}>
        <div class="form-actions start">
          <button type="button" class="button" onClick={() => void installing.install()}>
            Install
          </button>
        </div>
      </Show>
    </>
  );
}

export function AccountSettings(): JSX.Element {
  const page = usePage();
  const signOut = async (): Promise<void> => {
    const sure = await page.notices.confirm({
      title: 'Sign out?',
      text: 'Everything stays in this browser. You need your password to come back.',
      action: 'Sign out',
      danger: false,
    });
    if (!sure) return;
    const done = await page.notices.attempt('You could not be signed out', async () => {
      await page.gsv.signOut();
      return true;
    });
    if (done === true) page.signedOut();
  };
  return (
    <>
      <dl class="facts wide-facts">
        <div>
          <dt>signed in as</dt>
          <dd>{page.status()?.username ?? '…'}</dd>
        </div>
        <div>
          <dt>home folder</dt>
          <dd>{page.home()?.home ?? '…'}</dd>
        </div>
      </dl>
      <div class="form-actions start">
        <button type="button" class="button" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </>
  );
}

export function AboutSettings(): JSX.Element {
  const { status } = usePage();
  return (
    <dl class="facts wide-facts">
      <div>
        <dt>version</dt>
        <dd>
          <Show when={status()} fallback="…">
            {status()?.version}
          </Show>
        </dd>
      </div>
      <div>
        <dt>licence</dt>
        <dd>MIT</dd>
      </div>
      <div>
        <dt>your data</dt>
        <dd>in this browser, and on the server that it has joined</dd>
      </div>
    </dl>
  );
}
