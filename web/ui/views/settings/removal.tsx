import type { JSX } from 'solid-js';
import { writeSession } from '../../../client/session.ts';
import { usePage } from '../../context.ts';

/** Long enough for the other tabs to lose the kernel that held everything. */
const AFTER_MS = 400;

/** Makes this browser as new. What only it holds is named before it is gone. */
export function Removal(): JSX.Element {
  const { gsv, notices } = usePage();
  const erase = (force: boolean) =>
    notices.attempt('Nothing was removed', () => gsv.call('sys.erase', { force }));
  const remove = async (): Promise<void> => {
    const sure = await notices.confirm({
      title: 'Remove GSV from this browser?',
      text: 'Conversations, files, settings and keys that are stored here are deleted. What the server and other browsers hold stays.',
      action: 'Remove',
      danger: true,
    });
    if (!sure) return;
    const answer = await erase(false);
    if (answer === null) return;
    const gone = answer.erased || (await insist(answer.onlyHere));
    if (!gone) return;
    writeSession(null);
    setTimeout(() => location.assign('/'), AFTER_MS);
  };
  const insist = async (onlyHere: number): Promise<boolean> => {
    const sure = await notices.confirm({
      title: 'Some of it is nowhere else',
      text: `${onlyHere === 1 ? 'One change is' : `${onlyHere} changes are`} only in this browser and would be lost. Export everything first, or wait until it says “Synced”.`,
      action: 'Remove all the same',
      danger: true,
    });
    return sure && (await erase(true))?.erased === true;
  };
  return (
    <div class="form-actions start">
      <button type="button" class="button danger" onClick={() => void remove()}>
        Remove GSV from this browser
      </button>
    </div>
  );
}
