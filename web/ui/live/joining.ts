import { type Accessor, createEffect, createSignal, onCleanup, onMount } from 'solid-js';
import type { Gsv } from '../../client/gsv.ts';
import type { Notices } from '../parts/notices.ts';
import { sentences } from '../parts/words.ts';
import { claimSecret, forgetSecret } from '../route.ts';
import type { Status } from './status.ts';

/**
 * Follows a claim link (`#claim=SECRET`) once somebody is signed in, also one that is opened in a running page. The
 * secret leaves the address bar when it was tried. What came of it is told when the server has answered.
 */
export function createJoining(gsv: Gsv, notices: Notices, status: Accessor<Status | undefined>): void {
  const [asked, setAsked] = createSignal(false);
  const join = async (): Promise<void> => {
    const secret = claimSecret(location.hash);
    if (secret === null) return;
    forgetSecret();
    const answer = await notices.attempt('This browser could not join the server', () =>
      gsv.call('sys.join', { secret }),
    );
    if (answer !== null) setAsked(true);
  };
  createEffect(() => {
    const outcome = asked() ? claimOutcome(status()) : null;
    if (outcome === null) return;
    setAsked(false);
    notices[outcome.tone](outcome.text);
  });
  const follow = (): void => {
    void join();
  };
  onMount(follow);
  window.addEventListener('hashchange', follow);
  onCleanup(() => window.removeEventListener('hashchange', follow));
}

/** What the server makes of a claim link; null while it has not answered. */
export function claimOutcome(
  status: Pick<Status, 'link' | 'linkReason'> | undefined,
): { tone: 'good' | 'bad'; text: string } | null {
  if (status?.link === 'online') return { tone: 'good', text: 'This browser has joined its server.' };
  if (status?.link !== 'refused') return null;
  return {
    tone: 'bad',
    text: sentences(
      'The server did not accept this claim link',
      status.linkReason,
      'GSV works on its own here',
    ),
  };
}
