import { createSignal, For, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { createAsked } from '../../parts/asked.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { chatPath } from '../../route.ts';

/** A new process: what it is for, and of which kind. */
export function SpawnDialog(): JSX.Element {
  const page = usePage();
  const [label, setLabel] = createSignal('');
  const [profile, setProfile] = createSignal('task');
  const [folder, setFolder] = createSignal<'home' | 'new'>('home');
  const [starting, setStarting] = createSignal(false);
  const profiles = createAsked(async () => {
    const answer = await page.gsv.call('proc.profile.list', {});
    return answer.profiles.filter(
      (entry) => entry.startable && entry.interactive && entry.spawnMode === 'new',
    );
  });
  const offered = () => profiles.latest() ?? [];
  const start = async (): Promise<void> => {
    if (starting()) return;
    setStarting(true);
    const name = label().trim();
    const answer = await page.notices.attempt('The process could not be started', () =>
      page.gsv.call('proc.spawn', {
        profile: profile(),
        ...(name === '' ? {} : { label: name }),
        ...(folder() === 'new' ? { workspace: { mode: 'new' as const } } : {}),
      }),
    );
    setStarting(false);
    if (answer === null) return;
    page.show('none');
    page.router.go(chatPath(answer.pid));
  };
  return (
    <Dialog title="New conversation" onClose={() => page.show('none')}>
      <Form onSubmit={() => void start()}>
        <TextField
          label="Name"
          hint="Optional. It is how you find it again."
          placeholder="What is it about?"
          maxLength={200}
          autofocus
          value={label()}
          onValue={setLabel}
        />
        <Show when={offered().length > 1}>
          <SelectField
            label="Kind"
            value={profile()}
            onValue={setProfile}
            hint={offered().find((entry) => entry.id === profile())?.description}
          >
            <For each={offered()}>{(entry) => <option value={entry.id}>{entry.displayName}</option>}</For>
          </SelectField>
        </Show>
        <SelectField
          label="Where it works"
          value={folder()}
          onValue={(chosen) => setFolder(chosen === 'new' ? 'new' : 'home')}
          hint={
            folder() === 'new'
              ? 'A folder below /workspaces, where checkpoints of it can be saved, too.'
              : undefined
          }
        >
          <option value="home">In my home</option>
          <option value="new">In a workspace of its own</option>
        </SelectField>
        <div class="dialog-actions">
          <button type="button" class="button" onClick={() => page.show('none')}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={starting()}>
            Start
          </button>
        </div>
      </Form>
    </Dialog>
  );
}
