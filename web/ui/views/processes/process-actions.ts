import type { Page } from '../../context.ts';
import { type LiveProcess, processTitle } from '../../live/processes.ts';

/** What a person can do with a process; each says what came of it. */
export type ProcessActions = Record<'stop' | 'reset' | 'end', (row: LiveProcess) => Promise<void>>;

export function processActions({ gsv, notices }: Pick<Page, 'gsv' | 'notices'>): ProcessActions {
  return {
    async stop(row) {
      const { pid } = row;
      await notices.attempt(`“${processTitle(row)}” could not be stopped`, () =>
        gsv.call('proc.abort', { pid }),
      );
    },
    async reset(row) {
      const { pid } = row;
      const sure = await notices.confirm({
        title: `Begin “${processTitle(row)}” anew?`,
        text: 'Its conversation is archived and cleared, and a run that goes on is stopped.',
        action: 'Reset',
        danger: false,
      });
      if (!sure) return;
      const answer = await notices.attempt('It could not be reset', () => gsv.call('proc.reset', { pid }));
      if (answer !== null) notices.good(`${answer.archivedMessages} messages were archived.`);
    },
    async end(row) {
      const { pid } = row;
      const sure = await notices.confirm({
        title: `End “${processTitle(row)}”?`,
        text: 'The process is gone then. Its conversation is archived first.',
        action: 'End process',
        danger: true,
      });
      if (!sure) return;
      const answer = await notices.attempt('It could not be ended', () => gsv.call('proc.kill', { pid }));
      if (answer !== null) notices.good(`“${processTitle(row)}” has ended.`);
    },
  };
}
