import { messageOf, SyscallError } from '../../protocol/errors.ts';
import type { Result } from '../../syscalls/table.ts';
import type { Handlers } from '../handler.ts';
import { type CatalogueModel, catalogue } from '../local/catalogue.ts';
import { unfitReason } from '../local/fit.ts';
import { isWebAddress, type WebllmPlace, weightsFolder } from '../local/hub.ts';
import type { DeviceFacts, ModelStore, StoredModel } from '../ports/model-store.ts';
import { ModelUse, type ModelUseParts } from './model-use.ts';

export type LocalModelParts = ModelUseParts & { modelStore: ModelStore | undefined };

type Row = Omit<Result<'ai.local.list'>['models'][number], 'use'>;
type LocalSyscall =
  | 'ai.local.list'
  | 'ai.local.download'
  | 'ai.local.add'
  | 'ai.local.pause'
  | 'ai.local.remove'
  | 'ai.local.import';

/** Models that run on this device. A host that runs none answers 400. */
export function localModelHandlers(parts: LocalModelParts): Handlers<LocalSyscall> {
  const { config } = parts;
  const mirror = (uid: number): string => config.resolve(uid, 'ai/model_mirror') ?? '';
  return {
    'ai.local.list': async (_args, { caller }) => list(parts, caller.identity.uid),
    'ai.local.download': async ({ id }, { caller }) => {
      const proposed = catalogue.find((model) => model.id === id);
      const store = storeOf(parts);
      await said(proposed ? store.download(proposed, mirror(caller.identity.uid)) : store.resume(id));
      return { ok: true };
    },
    'ai.local.add': async ({ address, sha256 = '', library, callsTools = true }, { caller }) => {
      const from = mirror(caller.identity.uid);
      const store = storeOf(parts);
      if (library !== undefined) {
        if (sha256 !== '') throw new SyscallError(400, 'A model of many files has no single SHA-256.');
        return { id: await said(store.addCompiled(compiledPlace(address, library, from), callsTools, from)) };
      }
      if (!isWebAddress(address)) throw new SyscallError(400, 'The address is not a web address.');
      return { id: await said(store.add({ address, sha256, callsTools }, from)) };
    },
    'ai.local.pause': async ({ id }) => {
      await said(storeOf(parts).pause(id));
      return { ok: true };
    },
    'ai.local.remove': async ({ id }) => {
      await said(storeOf(parts).remove(id));
      return { ok: true };
    },
    'ai.local.import': async ({ name }, { stream }) => {
      if (!stream) throw new SyscallError(400, 'The file is sent as bytes beside the call');
      return { id: await said(storeOf(parts).importFile(name, stream)) };
    },
  };
}

function storeOf({ modelStore }: LocalModelParts): ModelStore {
  if (!modelStore) throw new SyscallError(400, 'Models do not run on this host.');
  return modelStore;
}

/** What a store says when it refuses is for the person who asked. */
async function said<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (thrown) {
    throw new SyscallError(400, messageOf(thrown));
  }
}

/** Where a model for WebLLM lies. Throws 400 with what is wrong. */
function compiledPlace(address: string, library: string, mirror: string): WebllmPlace {
  const weights = weightsFolder(address, mirror);
  if (weights === undefined) throw new SyscallError(400, 'The address of the weights is not a web address.');
  if (!isWebAddress(library) || !new URL(library).pathname.endsWith('.wasm'))
    throw new SyscallError(400, 'The address of the program is not one of a .wasm file.');
  // WebLLM asks for such a program at each start, whatever is kept.
  if (library.includes('localhost'))
    throw new SyscallError(400, 'WebLLM keeps no program from “localhost”. Write 127.0.0.1 instead.');
  return { weights, program: library };
}

async function list(parts: LocalModelParts, uid: number): Promise<Result<'ai.local.list'>> {
  const store = storeOf(parts);
  const [device, stored] = await Promise.all([store.device(), store.list()]);
  const proposed = catalogue.map((model) =>
    rowOf(
      model,
      stored.find(({ id }) => id === model.id),
      device,
    ),
  );
  const own = stored.filter(({ id }) => !catalogue.some((model) => model.id === id));
  const rows = [...own.map((model) => rowOf(undefined, model, device)), ...proposed];
  const use = new ModelUse(parts, uid);
  return { device, models: rows.map((row) => ({ ...row, use: use.of(row) })) };
}

function rowOf(model: CatalogueModel | undefined, stored: StoredModel | undefined, device: DeviceFacts): Row {
  const bytes = stored?.bytes || model?.bytes || 0;
  const engine = stored?.engine ?? model?.engine ?? 'wllama';
  const shaderF16 = model?.source.kind === 'webllm' && model.source.shaderF16;
  return {
    id: stored?.id ?? model?.id ?? '',
    name: stored?.name ?? model?.name ?? '',
    engine,
    parameters: model?.parameters ?? null,
    bytes,
    storedBytes: stored?.storedBytes ?? 0,
    contextWindow: stored?.contextWindow ?? model?.contextWindow ?? 0,
    licence: model?.licence ?? '',
    address: stored?.address ?? '',
    callsTools: stored?.callsTools ?? model?.callsTools ?? false,
    state: stored?.state ?? 'absent',
    problem: stored?.problem ?? '',
    sha256: stored?.sha256 ?? '',
    checked: stored?.checked ?? false,
    tokensPerSecond: stored?.tokensPerSecond ?? 0,
    unfit: unfitReason({ engine, bytes, shaderF16 }, device),
  };
}
