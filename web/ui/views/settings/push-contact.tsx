import { createSignal, type JSX, onMount } from 'solid-js';
import { contactKey, isContact } from '../../../../shared/state/push-contact.ts';
import { usePage } from '../../context.ts';
import { findUid } from '../../live/own-uid.ts';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';

const MAIL = 'mailto:';

/** Whom push services reach when something is wrong. A mail address is shown, and written, without its scheme. */
export function PushContact(): JSX.Element {
  const page = usePage();
  const [text, setText] = createSignal('');
  const [problem, setProblem] = createSignal<string | null>(null);
  onMount(() => void readContact().then(setText, () => {}));
  const readContact = async (): Promise<string> => {
    const key = contactKey(await findUid(page));
    const { entries } = await page.gsv.call('sys.config.get', { key });
    const value = entries.find((entry) => entry.key === key)?.value ?? '';
    return value.startsWith(MAIL) ? value.slice(MAIL.length) : value;
  };
  const save = async (): Promise<void> => {
    const given = text().trim();
    const value = given === '' || /^[a-z]+:/i.test(given) ? given : MAIL + given;
    const fits = value === '' || isContact(value);
    setProblem(fits ? null : 'A mail address, or one that begins with https:.');
    if (!fits) return;
    const saved = await page.notices.attempt('The address was not saved', async () => {
      await page.gsv.call('sys.config.set', { key: contactKey(await findUid(page)), value });
      return true;
    });
    if (saved) page.notices.good('The address is saved.');
  };
  return (
    <Form novalidate onSubmit={() => void save()}>
      <div class="with-button">
        <TextField
          label="Your address, for push services"
          type="text"
          inputmode="email"
          autocomplete="email"
          spellcheck={false}
          placeholder="you@example.org"
          hint="Optional. Push services want to reach somebody when a server does wrong; some refuse one that names nobody."
          problem={problem()}
          value={text()}
          onValue={setText}
        />
        <button type="submit" class="button">
          Save
        </button>
      </div>
    </Form>
  );
}
