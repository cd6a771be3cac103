import { placeOf } from '../../../shared/state/message-id.ts';
import type { Picture } from '../invariants/picture.ts';
import type { Offence, Verdict } from '../run.ts';

const LINE_LENGTH = 220;
const MOST_OFFENCES = 8;

/** Alike for offences that differ in names and numbers only. */
export function sortOf({ invariant, what }: Offence): string {
  return `${invariant} ${what.replaceAll(/\S*\d\S*|\b[ABC]\b/g, '*').slice(0, 80)}`;
}

export function describeOffences({ offences }: Verdict): string[] {
  const lines = offences.slice(0, MOST_OFFENCES).map(({ invariant, what }) => `  ${invariant}: ${what}`);
  return offences.length > MOST_OFFENCES
    ? [...lines, `  and ${offences.length - MOST_OFFENCES} more`]
    : lines;
}

export function describeTrace({ trace }: Verdict): string[] {
  return trace.map((line) => `  | ${line.slice(0, LINE_LENGTH)}`);
}

/** What the first replica shows: messages by base, writer and place, and files. */
export function describePicture({ views: [view] }: Picture): string[] {
  if (!view) return [];
  const histories = [...view.histories].flatMap(([pid, messages]) => [
    `  history of ${pid}`,
    ...messages.map(({ id, role, runId = '', content }) => {
      const { base, writer, place } = placeOf(id);
      return `    ${base}.${writer}.${place} ${role} of ${runId.slice(0, 8)} ${JSON.stringify(content)}`;
    }),
  ]);
  const files = [...view.files].map(([path, content]) => `  ${path}: ${JSON.stringify(content)}`);
  return [...histories, ...files].map((line) => line.slice(0, LINE_LENGTH));
}
