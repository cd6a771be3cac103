import type { DeviceFacts } from '../ports/model-store.ts';
import type { CatalogueModel } from './catalogue.ts';

const GB = 1_000_000_000;
/** Of a device's memory, what one page can have. Browsers say at most 8 (or 32) GB, so it is a floor. */
const MEMORY_SHARE = 0.6;
/** Weights, and beside them the cache of what was read. */
const WORKING = 1.25;
/** What one WebAssembly memory takes on a processor, with room to work. */
const MOST_ON_PROCESSOR = 3.2 * GB;

/** Why a device cannot run a model, in words for a person; empty when it can. */
export function unfitReason(
  model: Pick<CatalogueModel, 'engine' | 'bytes'> & { shaderF16?: boolean },
  device: DeviceFacts,
): string {
  if (model.engine === 'webllm' && !device.gpu) return 'Needs WebGPU, which this browser does not offer.';
  if (model.shaderF16 && device.gpu && !device.gpu.shaderF16)
    return 'Needs 16-bit numbers (shader-f16), which this graphics processor does not offer.';
  if (model.engine === 'wllama' && !device.wasm)
    return 'This browser cannot run models on the processor (it lacks JSPI).';
  if (model.engine === 'wllama' && model.bytes > MOST_ON_PROCESSOR)
    return 'Too large for the processor in a browser.';
  return memoryReason(model.bytes, device.memoryGb);
}

function memoryReason(bytes: number, memoryGb: number | null): string {
  const needed = (bytes * WORKING) / GB;
  if (memoryGb === null || needed <= memoryGb * MEMORY_SHARE) return '';
  return `Needs about ${needed.toFixed(1)} GB of memory; this device says it has ${memoryGb}.`;
}
