import { problems } from '../../support/history.ts';
import type { Picture } from './picture.ts';

/** A history is what a model may be given: each tool call has one result, right behind it, and ids increase. */
export function historyValid({ views }: Picture): string[] {
  return views.flatMap(({ name, histories }) =>
    [...histories].flatMap(([pid, messages]) =>
      problems(messages).map((problem) => `in the history of ${pid} on ${name}: ${problem}`),
    ),
  );
}
