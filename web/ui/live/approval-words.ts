import type { HilRow } from '../../../shared/state/conversation.ts';
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

/**
 * Why it is asked. A tag without words of its own is shown as it is; `remote` is said by the target, and what deletes
 * also changes.
 */
export function tagWords(tags: readonly string[]): string[] {
  const said = tags.includes('destructive') ? tags.filter((tag) => tag !== 'mutating') : tags;
  return said.map((tag) => words[tag] ?? tag.replaceAll('-', ' ')).filter((text) => text !== '');
}

export type ApprovalWords = {
  question: string;
  /** Everything that will run, as it was written. */
  lines: string[];
  /** The commands in it, as they were parsed; empty when the lines are one command and say it all. */
  parts: string[];
  target: string;
  remember: string | null;
};

export function approvalWords(request: HilRow): ApprovalWords {
  const call = callWords(request.toolName, request.args);
  const { input } = request.args;
  const lines =
    typeof input === 'string' ? input.trimEnd().split('\n') : [`${call.verb} ${call.subject}`.trim()];
  const kept = request.remember.length === 0 ? null : showHidden(request.remember.join(' '));
  return {
    question: request.syscall === 'shell.exec' ? 'Approve this command?' : 'Approve this step?',
    lines: lines.map(showHidden),
    parts: request.commands.length > 1 ? request.commands.map(showHidden) : [],
    target: showHidden(request.target),
    remember: kept,
  };
}
