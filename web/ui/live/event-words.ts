import { eventPrefix } from '../../../shared/state/conversation-names.ts';

/** An event as a person reads it: one line, and what there is to read below it. */
export type EventWords = { line: string; rest: string };

const KINDS: readonly [RegExp, (found: RegExpMatchArray) => string][] = [
  [/^(?:ipc\.reply|delegate\.result) \S+: (.*)$/, ([, said = '']) => said],
  [/^ipc\.timeout \S+: (.*?)\. .*$/, ([, said = '']) => said],
  [/^delegate\.timeout \S+: (.*?)\. .*$/, ([, said = '']) => said],
  [/^ipc\.message from (.*)$/, ([, who]) => `Message from ${who}`],
  [/^ipc\.call \S+ from (.*?): .*$/, ([, who]) => `${who} asks, and gets the last answer`],
  [/^delegate \S+ from (.*?): .*$/, ([, who]) => `Task from ${who}; the last answer is the report`],
  [/^proc\.spawn: started by (.*)$/, ([, who]) => `Started by ${who}`],
  [/^proc\.spawn: started$/, () => 'Started'],
  [/^signal (\S+) of (.*)$/, ([, signal, who]) => `${who}: ${signal}`],
  [/^signal (\S+)$/, ([, signal]) => `Signal ${signal}`],
];

/** Ids are for programs: a process is called by its title where it has one. */
export function eventWords(text: string): EventWords {
  const whole = text.startsWith(eventPrefix) ? text.slice(eventPrefix.length) : text;
  const first = whole.split('\n', 1)[0] ?? '';
  const plain = first
    .replaceAll(/process \S+ (“[^”]*”)/g, '$1')
    .replaceAll(/process ([0-9a-f]{8})-[0-9a-f-]{27}/g, 'process $1…');
  for (const [kind, words] of KINDS) {
    const found = plain.match(kind);
    if (found) return { line: words(found), rest: whole.slice(first.length).trim() };
  }
  return { line: first, rest: whole.slice(first.length).trim() };
}
