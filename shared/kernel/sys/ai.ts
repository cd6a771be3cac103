import { SyscallError } from '../../protocol/errors.ts';
import { DEFAULT_CONVERSATION } from '../../state/conversation-names.ts';
import type { ProcessRow, SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Args, Result } from '../../syscalls/table.ts';
import { defaultSystemContext } from '../agent/prompt.ts';
import { readSkillIndex } from '../agent/skills-index.ts';
import { toolsFor } from '../agent/tools.ts';
import { textOf } from '../agent/turn.ts';
import type { FileSystem } from '../fs/file-system.ts';
import type { Caller, Handlers } from '../handler.ts';
import { fallbackReasons, localLink, NO_PRIVATE_MODEL, privateLink, type Reason } from '../local/chain.ts';
import { isLocal } from '../local/engine-names.ts';
import type { ModelChoice, Models } from '../ports/models.ts';
import type { Processes } from '../proc/processes.ts';
import type { Keys } from '../seal/keys.ts';
import { accessibleDevices } from './accessible-devices.ts';
import type { Config } from './config.ts';
import { needsPairing } from './device-secrets.ts';

export type AiParts = {
  tables: SystemTables;
  keys: Pick<Keys, 'keyring'>;
  config: Config;
  models: Models;
  processes: Processes;
  fs: FileSystem;
  clock: Clock;
  linkOnline(): boolean;
};

const DEFAULT_MAX_TOKENS = 8_192;
const DEFAULT_CONTEXT_BYTES = 32_768;
const CONTEXT_PREFIX = 'config/ai/context.d';

export function aiHandlers(parts: AiParts): Handlers<'ai.tools' | 'ai.config' | 'ai.models' | 'ai.test'> {
  return {
    'ai.tools': async (_args, { caller }) => ({
      tools: toolsFor(caller.capabilities).map(({ name, description, parameters }) => ({
        name,
        description,
        inputSchema: parameters,
      })),
      devices: parts.linkOnline() ? onlineDevices(parts, caller) : [],
    }),
    'ai.config': async (args, { caller }) => aiConfig(parts, caller, args),
    'ai.models': async (args, { caller }) => {
      const choice = await chosen(parts, caller.identity.uid, args);
      try {
        return { models: await parts.models.list(choice) };
      } catch (thrown) {
        throw new SyscallError(502, thrown instanceof Error ? thrown.message : 'The provider did not answer');
      }
    },
    'ai.test': async (args, { caller, signal }) =>
      test(parts, await chosen(parts, caller.identity.uid, args), signal),
  };
}

function onlineDevices(parts: AiParts, caller: Caller): Result<'ai.tools'>['devices'] {
  return accessibleDevices(parts, caller.identity)
    .filter((device) => device.online && !needsPairing(parts, device.deviceId))
    .map(({ deviceId, implements: calls, description, platform }) => ({
      id: deviceId,
      implements: calls,
      ...(description ? { description } : {}),
      ...(platform ? { platform } : {}),
    }));
}

async function aiConfig(
  parts: AiParts,
  caller: Caller,
  { profile, instead }: Args<'ai.config'>,
): Promise<Result<'ai.config'>> {
  const { config, models, fs } = parts;
  const { uid } = caller.identity;
  const { choice, fallbacks } = await linkOf(parts, caller, instead);
  const known = await models.describe(choice);
  // What was set for the network's model says nothing of one here.
  const here = isLocal(choice.provider);
  const configured = (!here && Number(config.resolve(uid, 'ai/context_window'))) || null;
  const window = configured ?? known?.contextWindow ?? null;
  const maxTokens =
    (!here && Number(config.resolve(uid, 'ai/max_tokens'))) ||
    Math.min(DEFAULT_MAX_TOKENS, known?.maxTokens ?? DEFAULT_MAX_TOKENS);
  const skills = await readSkillIndex(fs, caller.identity);
  const contextWindowSource = configured ? 'config' : known ? 'model' : 'unknown';
  return {
    ...(profile ? { profile } : {}),
    ...choice,
    maxTokens,
    input: inputOf(config.resolve(uid, 'ai/sees_images'), known?.input),
    contextWindowTokens: window,
    contextWindowSource,
    systemContextFiles: systemContext(config),
    profileContextFiles: processOf(parts, caller)?.contextFiles ?? [],
    skillIndex: skills.map(({ id, name, description, source }) => ({ id, name, description, source })),
    profileApprovalPolicy: config.resolve(uid, 'ai/tools/approval') ?? null,
    fallbacks,
    maxContextBytes: Number(config.resolve(uid, 'ai/max_context_bytes')) || DEFAULT_CONTEXT_BYTES,
  };
}

/** What the account says of its model goes before what is known of it; of a model that nobody knows, nothing is sure but text. */
function inputOf(
  setting: string | undefined,
  known: readonly ('text' | 'image')[] = ['text'],
): ('text' | 'image')[] {
  if (setting === 'true') return ['text', 'image'];
  return setting === 'false' ? ['text'] : [...known];
}

/** The link of the account's chain that answers. Throws in words for a person when none may. */
async function linkOf(
  parts: AiParts,
  caller: Caller,
  instead: Reason | undefined,
): Promise<{ choice: ModelChoice; fallbacks: Reason[] }> {
  const { config, processes } = parts;
  const { uid } = caller.identity;
  const setting = (name: string): string | undefined => config.resolve(uid, name);
  const main = await chosen(parts, uid, {});
  const { origin } = caller;
  if (origin.kind === 'process' && processes.conversations.isPrivate(origin.pid, conversationOf(origin))) {
    const link = privateLink(main, setting);
    if (!link) throw new SyscallError(400, NO_PRIVATE_MODEL);
    return { choice: { ...link, apiKey: '' }, fallbacks: [] };
  }
  const next = isLocal(main.provider) ? undefined : localLink(setting);
  if (instead && next) return { choice: { ...next, apiKey: '' }, fallbacks: [] };
  return { choice: main, fallbacks: next ? fallbackReasons(setting) : [] };
}

function conversationOf({ conversationId }: { conversationId?: string }): string {
  return conversationId || DEFAULT_CONVERSATION;
}

function systemContext(config: Config): { name: string; text: string }[] {
  const entries = config.list({ uid: 0 }, CONTEXT_PREFIX);
  if (entries.length === 0) return defaultSystemContext;
  return entries.map(({ key, value }) => ({ name: key.slice(CONTEXT_PREFIX.length + 1), text: value }));
}

function processOf(parts: AiParts, caller: Caller): ProcessRow | undefined {
  return caller.origin.kind === 'process' ? parts.processes.row(caller.origin.pid) : undefined;
}

/** What was asked for, completed from what the user and the system have configured for the same provider. */
async function chosen(parts: AiParts, uid: number, asked: Partial<Args<'ai.test'>>): Promise<ModelChoice> {
  const { config } = parts;
  const configured = config.resolve(uid, 'ai/provider') ?? '';
  const provider = asked.provider ?? configured;
  // A stored key and address belong to the provider they were stored with, and are shown to no other.
  const same = provider === configured;
  const baseUrl = asked.baseUrl || (same ? config.resolve(uid, 'ai/base_url') : undefined);
  const keyFits = same && (!asked.baseUrl || asked.baseUrl === config.resolve(uid, 'ai/base_url'));
  const apiKey = asked.apiKey || (keyFits ? await config.resolveSecret(uid, 'ai/api_key') : undefined) || '';
  const reasoning = config.resolve(uid, 'ai/reasoning');
  return {
    provider,
    model: asked.model ?? (same ? (config.resolve(uid, 'ai/model') ?? '') : ''),
    apiKey,
    ...(baseUrl ? { baseUrl } : {}),
    ...(reasoning ? { reasoning } : {}),
  };
}

async function test(parts: AiParts, choice: ModelChoice, signal: AbortSignal): Promise<Result<'ai.test'>> {
  if (!choice.provider || !choice.model) return { ok: false, error: 'Choose a provider and a model first.' };
  const startedAt = parts.clock.now();
  const outcome = await parts.models.generate(
    {
      choice,
      system: 'Answer with one word.',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Say ready.' }], timestamp: startedAt }],
      tools: [],
      maxTokens: 512,
      affinity: 'test',
      signal,
    },
    () => {},
  );
  if (outcome.kind === 'failed') return { ok: false, error: outcome.error };
  if (outcome.kind === 'aborted') return { ok: false, error: 'The test was stopped.' };
  const durationMs = parts.clock.now() - startedAt;
  return { ok: true, text: textOf(outcome.content), durationMs, viaRelay: parts.models.relayed(choice) };
}
