import type { HilRow } from '../../../shared/state/conversation.ts';
import { DEVICE_FOLDER } from '../../../shared/state/device-folder.ts';
import { showHidden } from '../parts/machine-text.ts';
import { callWords } from './calls.ts';

/** The policy's tags (FACTS, "Approval policy") in words of a person. */
const words: Record<string, string> = {
  destructive: 'deletes',
  privileged: 'as administrator',
  network: 'uses the network',
  mutating: 'changes things',
  unclassified: 'not recognised',
  'hidden-path': 'touches a hidden file',
  'outside-cwd': 'outside the working folder',
  'outside-home': 'outside the home folder',
  'policy-unreadable': 'your approval policy cannot be read; the default applies',
  remote: '',
};

/** Where a device keeps its folders is known to that device alone: of a full path there nobody else can tell. */
const wordsOnDevice: Record<string, string> = {
  'outside-cwd': 'may be outside the working folder',
  'outside-home': '',
};

/**
 * Why it is asked. A tag without words of its own is shown as it is; `remote` is said by the target, and what deletes
 * also changes.
 */
export function tagWords(tags: readonly string[]): string[] {
  const said = tags.includes('destructive') ? tags.filter((tag) => tag !== 'mutating') : tags;
  const known = tags.includes('remote') ? { ...words, ...wordsOnDevice } : words;
  return said.map((tag) => known[tag] ?? tag.replaceAll('-', ' ')).filter((text) => text !== '');
}

const verbs: Record<string, string> = {
  'fs.read': 'Read',
  'fs.write': 'Write',
  'fs.edit': 'Edit',
  'fs.delete': 'Delete',
  'fs.search': 'Search',
};

/** What is not asked for again: commands that begin so, in one folder perhaps, or one thing done to one file. */
export function rememberedWords({ syscall, words: kept }: Remembered): string {
  if (syscall !== 'shell.exec') return `${verbs[syscall] ?? syscall} ${showHidden(kept.join(' '))}`;
  const place = kept.at(-1) ?? '';
  if (!place.startsWith('in /')) return `${showHidden(kept.join(' '))} …`;
  const where = place === `in ${DEVICE_FOLDER}` ? 'in the working folder' : showHidden(place);
  return `${showHidden(kept.slice(0, -1).join(' '))} … ${where}`;
}
type Remembered = { syscall: string; words: readonly string[] };

export type ApprovalWords = {
  question: string;
  /** Everything that will run, as it was written. */
  lines: string[];
  /** The commands in it, as they were parsed; empty when the lines are one command and say it all. */
  parts: string[];
  target: string;
  /** What would not be asked for again. */
  remember: string | null;
};

export function approvalWords(request: HilRow): ApprovalWords {
  const call = callWords(request.toolName, request.args);
  const { input } = request.args;
  const lines =
    typeof input === 'string' ? input.trimEnd().split('\n') : [`${call.verb} ${call.subject}`.trim()];
  return {
    question: request.syscall === 'shell.exec' ? 'Approve this command?' : 'Approve this step?',
    lines: lines.map(showHidden),
    parts: request.commands.length > 1 ? request.commands.map(showHidden) : [],
    target: showHidden(request.target),
    remember:
      request.remember.length === 0
        ? null
        : rememberedWords({ syscall: request.syscall, words: request.remember }),
  };
}
