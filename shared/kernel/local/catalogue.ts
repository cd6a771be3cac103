import type { EngineName } from './engine-names.ts';

/** A model that GSV proposes. Sizes are those of the published files, rounded; the exact one comes with the download. */
export type CatalogueModel = {
  id: string;
  name: string;
  engine: EngineName;
  /** Billions. */
  parameters: number;
  bytes: number;
  /** Tokens that it was made for. */
  contextWindow: number;
  licence: string;
  /** Whether it is good enough at calls to be given tools. */
  callsTools: boolean;
  /** wllama: where its GGUF lies. WebLLM: the name that its library knows. */
  source:
    | { kind: 'gguf'; repository: string; file: string }
    | { kind: 'webllm'; modelId: string; shaderF16: boolean };
};

const MB = 1_000_000;

type Row = [
  id: string,
  name: string,
  parameters: number,
  megabytes: number,
  contextWindow: number,
  licence: string,
  callsTools: boolean,
  repository: string,
  file: string,
];

/** Public GGUF files, smallest first. */
const gguf: Row[] = [
  [
    'smollm2-135m',
    'SmolLM2 135M',
    0.135,
    145,
    8_192,
    'Apache 2.0',
    false,
    'bartowski/SmolLM2-135M-Instruct-GGUF',
    'SmolLM2-135M-Instruct-Q8_0.gguf',
  ],
  [
    'gemma3-270m',
    'Gemma 3 270M',
    0.27,
    292,
    32_768,
    'Gemma terms',
    false,
    'ggml-org/gemma-3-270m-it-GGUF',
    'gemma-3-270m-it-Q8_0.gguf',
  ],
  [
    'smollm2-360m',
    'SmolLM2 360M',
    0.36,
    386,
    8_192,
    'Apache 2.0',
    false,
    'HuggingFaceTB/SmolLM2-360M-Instruct-GGUF',
    'smollm2-360m-instruct-q8_0.gguf',
  ],
  [
    'qwen2.5-0.5b',
    'Qwen2.5 0.5B',
    0.5,
    491,
    32_768,
    'Apache 2.0',
    true,
    'Qwen/Qwen2.5-0.5B-Instruct-GGUF',
    'qwen2.5-0.5b-instruct-q4_k_m.gguf',
  ],
  [
    'qwen3-0.6b',
    'Qwen3 0.6B',
    0.6,
    639,
    40_960,
    'Apache 2.0',
    true,
    'Qwen/Qwen3-0.6B-GGUF',
    'Qwen3-0.6B-Q8_0.gguf',
  ],
  [
    'llama3.2-1b',
    'Llama 3.2 1B',
    1.2,
    808,
    131_072,
    'Llama 3.2 licence',
    true,
    'bartowski/Llama-3.2-1B-Instruct-GGUF',
    'Llama-3.2-1B-Instruct-Q4_K_M.gguf',
  ],
  [
    'qwen2.5-1.5b',
    'Qwen2.5 1.5B',
    1.5,
    1_117,
    32_768,
    'Apache 2.0',
    true,
    'Qwen/Qwen2.5-1.5B-Instruct-GGUF',
    'qwen2.5-1.5b-instruct-q4_k_m.gguf',
  ],
  [
    'smollm2-1.7b',
    'SmolLM2 1.7B',
    1.7,
    1_056,
    8_192,
    'Apache 2.0',
    true,
    'HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF',
    'smollm2-1.7b-instruct-q4_k_m.gguf',
  ],
  [
    'llama3.2-3b',
    'Llama 3.2 3B',
    3.2,
    2_019,
    131_072,
    'Llama 3.2 licence',
    true,
    'bartowski/Llama-3.2-3B-Instruct-GGUF',
    'Llama-3.2-3B-Instruct-Q4_K_M.gguf',
  ],
  [
    'phi3-mini',
    'Phi-3 mini 3.8B',
    3.8,
    2_393,
    4_096,
    'MIT',
    true,
    'microsoft/Phi-3-mini-4k-instruct-gguf',
    'Phi-3-mini-4k-instruct-q4.gguf',
  ],
  [
    'qwen3-4b',
    'Qwen3 4B',
    4,
    2_497,
    40_960,
    'Apache 2.0',
    true,
    'Qwen/Qwen3-4B-GGUF',
    'Qwen3-4B-Q4_K_M.gguf',
  ],
];

type WebRow = [
  id: string,
  name: string,
  parameters: number,
  megabytes: number,
  licence: string,
  callsTools: boolean,
  shaderF16: boolean,
  modelId: string,
];

/** Models compiled for WebLLM; all of them with a window of 4,096. */
const webllm: WebRow[] = [
  [
    'web-smollm2-360m',
    'SmolLM2 360M',
    0.36,
    210,
    'Apache 2.0',
    false,
    true,
    'SmolLM2-360M-Instruct-q4f16_1-MLC',
  ],
  ['web-qwen3-0.6b', 'Qwen3 0.6B', 0.6, 350, 'Apache 2.0', true, true, 'Qwen3-0.6B-q4f16_1-MLC'],
  [
    'web-llama3.2-1b',
    'Llama 3.2 1B',
    1.2,
    700,
    'Llama 3.2 licence',
    true,
    true,
    'Llama-3.2-1B-Instruct-q4f16_1-MLC',
  ],
  [
    'web-llama3.2-1b-f32',
    'Llama 3.2 1B, for GPUs without f16',
    1.2,
    700,
    'Llama 3.2 licence',
    true,
    false,
    'Llama-3.2-1B-Instruct-q4f32_1-MLC',
  ],
  ['web-qwen3-4b', 'Qwen3 4B', 4, 2_280, 'Apache 2.0', true, true, 'Qwen3-4B-q4f16_1-MLC'],
  ['web-qwen3-8b', 'Qwen3 8B', 8.2, 4_610, 'Apache 2.0', true, true, 'Qwen3-8B-q4f16_1-MLC'],
];

export const WEBLLM_WINDOW = 4_096;

export const catalogue: readonly CatalogueModel[] = [
  ...gguf.map(
    ([
      id,
      name,
      parameters,
      megabytes,
      contextWindow,
      licence,
      callsTools,
      repository,
      file,
    ]): CatalogueModel => ({
      id,
      name,
      engine: 'wllama',
      parameters,
      bytes: megabytes * MB,
      contextWindow,
      licence,
      callsTools,
      source: { kind: 'gguf', repository, file },
    }),
  ),
  ...webllm.map(
    ([id, name, parameters, megabytes, licence, callsTools, shaderF16, modelId]): CatalogueModel => ({
      id,
      name,
      engine: 'webllm',
      parameters,
      bytes: megabytes * MB,
      contextWindow: WEBLLM_WINDOW,
      licence,
      callsTools,
      source: { kind: 'webllm', modelId, shaderF16 },
    }),
  ),
];
