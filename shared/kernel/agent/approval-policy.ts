import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { ApprovalRow } from '../../state/system.ts';
import { literals, optional, record } from '../../syscalls/declare.ts';

const Action = literals(['auto', 'ask', 'deny']);
const Texts = Type.Array(Type.String());
const When = record({
  anyTag: optional(Texts),
  allTags: optional(Texts),
  argEquals: optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
  ),
  argPrefix: optional(Type.Record(Type.String(), Type.String({ minLength: 1 }))),
  target: optional(literals(['gsv', 'device'])),
  profile: optional(Type.String()),
  anyProfile: optional(Texts),
});
const Rule = record({
  /** A syscall, a domain as `fs.*`, or `*`. */
  match: Type.String({ pattern: '^(\\*|[a-z]+(\\.[a-z]+)*(\\.\\*)?)$' }),
  when: optional(When),
  action: Action,
});
const PolicyShape = record({ default: Action, rules: Type.Array(Rule) });

export type PolicyAction = Static<typeof Action>;
export type PolicyRule = Static<typeof Rule>;
/** `base` answers where no rule matches; its rules are numbered after this policy's own. */
export type Policy = Static<typeof PolicyShape> & { base?: Policy };

/** A call as policies see it. */
export type CallFacts = {
  syscall: string;
  args: Readonly<Record<string, unknown>>;
  target: 'gsv' | 'device';
  /** Why the call deserves a look: `destructive`, `network`, … (FACTS, "Approval policy"). */
  tags: readonly string[];
  profile: string;
  /** The words of a command line that is exactly one plain command; null for anything else. */
  words: readonly string[] | null;
};
/** `rule` is the index of the rule that decided, null for the default. */
export type PolicyDecision = { action: PolicyAction; rule: number | null };

/** What applies where an account has configured nothing (FACTS, "Approval policy"). */
export const defaultPolicy: Policy = {
  default: 'auto',
  rules: [
    {
      match: 'shell.exec',
      when: { anyTag: ['destructive', 'privileged', 'network', 'mutating', 'unclassified'] },
      action: 'ask',
    },
    // Elsewhere programs run and trust such files: a shell its profile, git its hooks.
    ...['fs.write', 'fs.edit'].map((match) => ({
      match,
      when: { target: 'device' as const, anyTag: ['hidden-path', 'outside-home'] },
      action: 'ask' as const,
    })),
    { match: 'fs.delete', action: 'ask' },
    { match: 'sys.mcp.call', action: 'ask' },
  ],
};

/** Reads a configured policy. What cannot be used is replaced by the default policy, and `problem` says why. */
export function parsePolicy(json: string | undefined): { policy: Policy; problem?: string } {
  if (json === undefined || json.trim() === '') return { policy: defaultPolicy };
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return unusable('it is not JSON');
  }
  if (Value.Check(PolicyShape, value)) return { policy: value };
  const [first] = Value.Errors(PolicyShape, value);
  return unusable(`${first?.instancePath || '/'} ${first?.message ?? 'is malformed'}`);
}

function unusable(reason: string): { policy: Policy; problem: string } {
  return {
    policy: defaultPolicy,
    problem: `The approval policy cannot be used: ${reason}. The default policy applies.`,
  };
}

/** The profile's policy over the account's: its rules decide first, and its default last of all. */
export function overlayPolicy(account: Policy, profile: Policy | undefined): Policy {
  return profile ? { ...profile, base: account } : account;
}

/** What a policy says of a call: exact beats `domain.*` beats `*`, and the first match wins among equals. */
export function decide(policy: Policy, facts: CallFacts): PolicyDecision {
  return decideByRules(policy, facts, 0) ?? { action: policy.default, rule: null };
}

function decideByRules(policy: Policy, facts: CallFacts, firstIndex: number): PolicyDecision | null {
  let best: (PolicyDecision & { rank: number }) | null = null;
  for (const [at, rule] of policy.rules.entries()) {
    const rank = rankOf(rule.match, facts.syscall);
    if (rank > (best?.rank ?? 0) && holds(rule, facts))
      best = { action: rule.action, rule: firstIndex + at, rank };
  }
  if (best) return { action: best.action, rule: best.rule };
  return policy.base ? decideByRules(policy.base, facts, firstIndex + policy.rules.length) : null;
}

/** How closely a pattern matches: 3 exact, 2 a domain, 1 anything, 0 not at all. */
function rankOf(match: string, syscall: string): number {
  if (match === syscall) return 3;
  if (match === '*') return 1;
  return match.endsWith('.*') && syscall.startsWith(match.slice(0, -1)) ? 2 : 0;
}

function holds({ when, action }: PolicyRule, facts: CallFacts): boolean {
  if (!when) return true;
  const { anyTag, allTags, argEquals, argPrefix, target, profile, anyProfile } = when;
  return (
    (!anyTag || anyTag.some((tag) => facts.tags.includes(tag))) &&
    (!allTags || allTags.every((tag) => facts.tags.includes(tag))) &&
    (!target || target === facts.target) &&
    (!profile || profile === facts.profile) &&
    (!anyProfile || anyProfile.includes(facts.profile)) &&
    Object.entries(argEquals ?? {}).every(([name, value]) => argument(facts, name) === value) &&
    Object.entries(argPrefix ?? {}).every(([name, prefix]) => hasPrefix(facts, name, prefix, action))
  );
}

/** Paths are compared without `.`, `..` and doubled slashes: a prefix is a place, not a spelling. */
function hasPrefix(facts: CallFacts, name: string, prefix: string, action: PolicyAction): boolean {
  const value = argument(facts, name);
  if (typeof value !== 'string') return false;
  if (name === 'input') return value.trimStart().startsWith(prefix) && mayBeginWith(facts, action);
  if (name !== 'path' && name !== 'cwd') return value.startsWith(prefix);
  return value.startsWith(prefix) || `${value}/` === prefix;
}

/** How a command line begins says what it does only when it is one command; more is let through by its tags alone. */
function mayBeginWith(facts: CallFacts, action: PolicyAction): boolean {
  return action !== 'auto' || facts.words !== null;
}

function argument(facts: CallFacts, name: string): unknown {
  const value = Object.hasOwn(facts.args, name) ? facts.args[name] : undefined;
  return (name === 'path' || name === 'cwd') && typeof value === 'string' ? lexicalPath(value) : value;
}

function lexicalPath(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..' || kept.length === 0 || kept.at(-1) === '..') kept.push(segment);
    else kept.pop();
  }
  if (!path.startsWith('/')) return kept.join('/');
  return `/${kept.filter((segment) => segment !== '..').join('/')}`;
}

/** Who calls, for approvals that were remembered. */
export type RememberedCall = Pick<CallFacts, 'syscall' | 'target' | 'words'> & { uid: number; pid: string };

/**
 * Whether a remembered approval covers the call: the same syscall on the same class of target, by the same user (and
 * process, where it names one), one plain command that begins with the remembered words. One without words covers nothing.
 */
export function allowedByRemembered(approvals: readonly ApprovalRow[], call: RememberedCall): boolean {
  const { words } = call;
  if (words === null) return false;
  return approvals.some(
    (row) =>
      row.uid === call.uid &&
      (row.pid === undefined || row.pid === call.pid) &&
      row.syscall === call.syscall &&
      row.target === call.target &&
      row.words.length > 0 &&
      row.words.every((word, at) => word === words[at]),
  );
}
