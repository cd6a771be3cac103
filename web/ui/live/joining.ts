import { onCleanup, onMount } from 'solid-js';
import type { Gsv } from '../../client/gsv.ts';
import type { Notices } from '../parts/notices.ts';
import { claimSecret, forgetSecret } from '../route.ts';

/**
 * Follows a claim link (`#claim=SECRET`) once somebody is signed in, also one that is opened in a running page. The
 * secret leaves the address bar when it was tried.
 */
export function createJoining(gsv: Gsv, notices: Notices): void {
  const join = async (): Promise<void> => {
    const secret = claimSecret(location.hash);
    if (secret === null) return;
    forgetSecret();
    const answer = await notices.attempt('This browser could not join the server', () =>
      gsv.call('sys.join', { secret }),
    );
    if (answer?.joined) notices.good('This browser has joined its server.');
    else if (answer !== null)
      notices.bad('The server did not accept this claim link. It may have been used already.');
  };
  const follow = (): void => {
    void join();
  };
  onMount(follow);
  window.addEventListener('hashchange', follow);
  onCleanup(() => window.removeEventListener('hashchange', follow));
}
