import type { Args } from '../../../syscalls/table.ts';
import { failed, misused, printed, type ShellCommand } from '../command.ts';

type Level = NonNullable<Args<'notification.create'>['level']>;
const levels: readonly Level[] = ['info', 'success', 'warning', 'error'];

export const notify: ShellCommand = {
  name: 'notify',
  summary: 'tell the user something that lasts',
  usage: [
    'notify [-l info|success|warning|error] TITLE [BODY]',
    '',
    'The user finds it under the bell, and hears of it at once where their browser may say so.',
    'It stays for 30 days, for a week once it is read. Prints the id of the notification.',
  ].join('\n'),
  async run(args, { syscalls, signal }) {
    const [flag, wanted, ...others] = args;
    const level = flag === '-l' ? levels.find((name) => name === wanted) : 'info';
    if (level === undefined) return failed('notify', `no level ${wanted ?? ''}; levels: ${levels.join(' ')}`);
    const [title, body, ...rest] = flag === '-l' ? others : args;
    if (!title || rest.length > 0) return misused(notify);
    const { notification } = await syscalls.call(
      'notification.create',
      { title, level, ...(body === undefined ? {} : { body }) },
      { signal },
    );
    return printed(notification.notificationId);
  },
};
