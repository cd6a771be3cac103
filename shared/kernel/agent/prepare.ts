import type { ProcessIdentity } from '../../syscalls/proc.ts';
import type { Result } from '../../syscalls/table.ts';
import type { FileSystem } from '../fs/file-system.ts';
import type { Syscalls } from '../handler.ts';
import type { Reason } from '../local/chain.ts';
import { assemblePrompt, type PromptFile, type PromptParts } from './prompt.ts';
import type { RunSetup } from './run-setup.ts';
import { SMALL_WINDOW, smallParts, smallTools } from './small-prompt.ts';

/** FACTS, Numbers: the window of a model that nobody describes. */
const FALLBACK_WINDOW = 256_000;

export type PrepareParts = {
  syscalls: Syscalls;
  fs: FileSystem;
  identity: ProcessIdentity;
  profile: string;
  limits: { maxTurns: number };
  /** Why the account's own model cannot be asked: the next of its chain is prepared. */
  instead?: Reason | undefined;
};

/** Resolves what a run needs (spec/agent-loop, "Prompt Assembly"). Rejects with a sentence for the user. */
export async function prepareRun({
  syscalls,
  fs,
  identity,
  profile,
  limits,
  instead,
}: PrepareParts): Promise<RunSetup> {
  const [config, offered, home] = await Promise.all([
    syscalls.call('ai.config', { profile, ...(instead ? { instead } : {}) }),
    syscalls.call('ai.tools', {}),
    homeContext(fs, identity),
  ]);
  if (!config.provider || !config.model)
    throw new Error('No model is chosen yet. Choose one in Settings, then try again.');
  const contextWindow = config.contextWindowTokens ?? FALLBACK_WINDOW;
  const small = contextWindow <= SMALL_WINDOW;
  const all = offered.tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    parameters: inputSchema,
  }));
  const tools = small
    ? smallTools(
        all,
        offered.devices.map(({ id }) => id),
      )
    : all;
  const parts: PromptParts = {
    system: config.systemContextFiles ?? [],
    home,
    skills: config.skillIndex ?? [],
    process: config.profileContextFiles ?? [],
    identity,
    devices: offered.devices,
    maxContextBytes: config.maxContextBytes,
  };
  const prompt = assemblePrompt(small ? smallParts(parts, tools) : parts);
  return {
    choice: choiceOf(config),
    prompt,
    tools,
    contextWindow,
    maxTokens: config.maxTokens,
    seesImages: config.input?.includes('image') ?? false,
    fallbacks: config.fallbacks ?? [],
    ...limits,
  };
}

function choiceOf({ provider, model, apiKey, baseUrl, reasoning }: Result<'ai.config'>): RunSetup['choice'] {
  return { provider, model, apiKey, ...(baseUrl ? { baseUrl } : {}), ...(reasoning ? { reasoning } : {}) };
}

/** The files of `~/context.d`, in lexical order; one that cannot be read is left out. */
async function homeContext(fs: FileSystem, identity: ProcessIdentity): Promise<PromptFile[]> {
  const directory = `${identity.home}/context.d`;
  const entries = await fs.readdir(directory, identity).catch(() => []);
  const files = entries.filter(({ name, kind }) => kind !== 'dir' && name.endsWith('.md'));
  const read = files.map(async ({ name }): Promise<PromptFile[]> => {
    const bytes = await fs.readFile(`${directory}/${name}`, identity).catch(() => null);
    return bytes ? [{ name, text: new TextDecoder().decode(bytes) }] : [];
  });
  return (await Promise.all(read)).flat();
}
