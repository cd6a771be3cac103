import type { DeviceFacts } from '../../../shared/kernel/ports/model-store.ts';

type Gpu = {
  requestAdapter(): Promise<{
    features: { has(name: string): boolean };
    info?: { description?: string; vendor?: string };
  } | null>;
};

/** What this browser and machine can run, as far as they say it. Asks nobody else. */
export async function deviceFacts(): Promise<DeviceFacts> {
  const { gpu, deviceMemory } = navigator as { gpu?: Gpu; deviceMemory?: number };
  const [adapter, estimate] = await Promise.all([
    gpu?.requestAdapter().catch(() => null) ?? null,
    navigator.storage.estimate().catch(() => null),
  ]);
  return {
    gpu: adapter
      ? {
          name: adapter.info?.description || adapter.info?.vendor || 'a graphics processor',
          shaderF16: adapter.features.has('shader-f16'),
        }
      : null,
    memoryGb: deviceMemory ?? null,
    freeBytes: estimate?.quota === undefined ? null : estimate.quota - (estimate.usage ?? 0),
    wasm: 'Suspending' in WebAssembly,
  };
}
