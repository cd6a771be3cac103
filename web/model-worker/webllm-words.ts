import { DEVICE_LOST, TOO_LONG } from '../../shared/kernel/local/local-models.ts';
import { messageOf, SyscallError } from '../../shared/protocol/errors.ts';

const TOO_LONG_WORDS = 'This is more than the model can read at once.';
const LOST_WORDS =
  'The graphics processor was lost, most likely because its memory was full. Close other tabs, or choose a smaller model.';

const NAMES: Record<string, string> = {
  WebGPUNotAvailableError:
    'This browser offers no graphics processor (WebGPU). Choose a model for the processor.',
  WebGPUNotFoundError:
    'This browser offers no graphics processor (WebGPU). Choose a model for the processor.',
  ShaderF16SupportError:
    'The graphics processor lacks 16-bit numbers (shader-f16). Choose a model for such without them.',
  FeatureSupportError: 'The graphics processor lacks something that this model needs. Choose another one.',
  UnsupportedTokenizerFilesError: 'This is no model that WebLLM can run: it has no tokenizer.',
  MissingModelWasmError: 'This is no model that WebLLM can run: its program is missing.',
  IntegrityError: 'The files of the model are damaged. Delete it and download it again.',
  CompileError: 'The program of the model is damaged. Delete it and download it again.',
  LinkError: 'The program of the model was made for another version. Delete it and download it again.',
};
/** When the device goes, WebLLM ends its engine; whoever asks then is told so. */
const GONE = ['DeviceLostError', 'ModelNotLoadedError', 'EngineNotLoadedError'];

/** What went wrong in WebLLM, in words for a person. */
export function explainWebllm(thrown: unknown): Error {
  const name = thrown instanceof Error || thrown instanceof DOMException ? thrown.name : '';
  const words = messageOf(thrown);
  if (name === 'ContextWindowSizeExceededError') return new SyscallError(TOO_LONG, TOO_LONG_WORDS);
  if (GONE.includes(name) || /device (was|is) lost|buffer.*(unmapped|destroyed)/i.test(words))
    return new SyscallError(DEVICE_LOST, LOST_WORDS);
  if (name === 'QuotaExceededError') return new Error('There is no room left on this device.');
  if (/failed to fetch|networkerror|cannot fetch/i.test(words))
    return new Error(
      'A file of the model is missing here, and cannot be fetched. Delete the model and download it again.',
    );
  const known = NAMES[name];
  if (known !== undefined) return new Error(known);
  if (thrown instanceof RangeError || /out of memory|allocation failed/i.test(words))
    return new Error('There was not enough memory for the model. Close other tabs, or choose a smaller one.');
  return new Error(`The model could not run: ${words}`);
}
