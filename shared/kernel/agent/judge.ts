import { placeTags } from '../../fs-text/place-tags.ts';
import { DEVICE_FOLDER } from '../../state/device-folder.ts';
import type { ApprovalRow } from '../../state/system.ts';
import type { ProcessIdentity } from '../../syscalls/proc.ts';
import type { SyscallName } from '../../syscalls/table.ts';
import { NATIVE_TARGET } from '../routing.ts';
import { allowedByRemembered, type CallFacts, decide, type Policy } from './approval-policy.ts';
import { commandFacts, rememberWords } from './command-facts.ts';
import type { Judgement } from './tool-calls.ts';

/** The reason shown when the account's policy cannot be read and the default asks in its place. */
const POLICY_UNREADABLE = 'policy-unreadable';

export type JudgeParts = {
  identity: ProcessIdentity;
  pid: string;
  profile: string;
  /** A background process has nobody to ask: ask becomes a tool error. */
  interactive: boolean;
  /** The policy, and what is wrong with the stored one when the default stands in for it. */
  policy(): { policy: Policy; problem?: string };
  approvals(): ApprovalRow[];
  /** The conversation never leaves this device: nothing that may take it away runs unasked. */
  private?(): boolean;
};

/** Beside the tags of a call that a private conversation asks for. */
const LEAVES = 'leaves this device';

export type JudgedCall = { syscall: SyscallName; target: string; args: Record<string, unknown> };

/** Applies the approval policy to one tool call, by what its command was parsed to, never by its text. */
export async function judge(parts: JudgeParts, call: JudgedCall): Promise<Judgement> {
  const facts = await factsOf(parts, call);
  const { policy, problem } = parts.policy();
  const { action } = decide(policy, facts.call);
  const leaves = parts.private?.() === true && mayLeave(facts);
  if (action === 'deny') return { kind: 'deny', reason: 'The approval policy forbids this call.' };
  if (action === 'auto' && !leaves) return { kind: 'auto' };
  const caller = { ...facts.call, uid: parts.identity.uid, pid: parts.pid };
  // What was remembered was not said of a conversation that stays here.
  if (!leaves && allowedByRemembered(parts.approvals(), caller)) return { kind: 'auto' };
  if (!parts.interactive) {
    return { kind: 'deny', reason: 'This call needs approval, and a background process has nobody to ask.' };
  }
  return {
    kind: 'ask',
    tags: [
      ...facts.call.tags,
      ...(leaves ? [LEAVES] : []),
      ...(problem === undefined ? [] : [POLICY_UNREADABLE]),
    ],
    commands: facts.commands,
    remember: leaves ? [] : facts.remember,
  };
}

/** Whether a call may carry words away: to a device, over the network, or by what cannot be told beforehand. */
function mayLeave({ call: { syscall, target, tags }, commands }: JudgedFacts): boolean {
  if (target === 'device') return true;
  if (syscall.startsWith('fs.')) return false;
  if (syscall !== 'shell.exec' || tags.includes('network') || tags.includes('unclassified')) return true;
  return commands.some((command) => TELLS.test(command));
}

type JudgedFacts = { call: CallFacts; commands: string[]; remember: string[] };

async function factsOf(parts: JudgeParts, { syscall, target, args }: JudgedCall): Promise<JudgedFacts> {
  const place = target === NATIVE_TARGET ? 'gsv' : 'device';
  const common = { syscall, args, target: place, profile: parts.profile } as const;
  const remote = place === 'device' ? ['remote'] : [];
  // Input for a running command goes to a program that was approved; what it is cannot be parsed.
  if (syscall === 'shell.exec' && args.sessionId === undefined) {
    const facts = await commandFacts(String(args.input), pathsOf(parts.identity, place, args));
    const remember = rememberWords(facts);
    const words = remember.length > 0 ? remember : null;
    const commands = facts.commands.map((command) => command.words.join(' '));
    const foreign = place === 'device' && facts.commands.some(isOurs) ? ['unclassified'] : [];
    return { call: { ...common, tags: [...facts.tags, ...foreign, ...remote], words }, commands, remember };
  }
  const input = typeof args.input === 'string' ? args.input : '';
  const path = typeof args.path === 'string' ? [args.path] : [];
  const places = place === 'device' ? path.flatMap(placeTags) : [];
  const unknown = syscall === 'shell.exec' && input !== '' ? ['unclassified'] : [];
  const tags = [...unknown, ...places, ...remote];
  return {
    call: { ...common, tags, words: path.length > 0 ? path : null },
    commands: input ? [input] : [],
    remember: path,
  };
}

/** Commands of the native shell: elsewhere their names are other programs'. */
const OURS = new Set('notify proc sched skills targets'.split(' '));
const isOurs = ({ words: [name = ''] }: { words: string[] }): boolean => OURS.has(name);
/** Those of them that tell somebody else: another agent, whose model may be elsewhere, or a person on another device. */
const TELLS = /^(notify|proc (spawn|send|call|delegate|watch))( |$)/;

/** A device's own paths are not known here: its workspace stands for where relative ones begin. */
function pathsOf(
  identity: ProcessIdentity,
  place: 'gsv' | 'device',
  { cwd }: Record<string, unknown>,
): { cwd: string; home: string } {
  const start = place === 'device' ? { cwd: DEVICE_FOLDER, home: DEVICE_FOLDER } : identity;
  return { cwd: typeof cwd === 'string' ? cwd : start.cwd, home: start.home };
}
