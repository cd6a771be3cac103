/**
 * Writes small GGUF files (llama architecture) with weights from a generator: real engines load and run them, and nobody
 * has to download anything. The weights are random; or, with `steps`, bent so that the model says one text after another:
 * its n-th answer of a conversation is the n-th step, which its chat template counts.
 */
export type TinyGguf = {
  steps?: string[];
  /** Characters and words that a random model is likelier to write (about 3) or never writes (about -200), whatever came before. */
  leanings?: Record<string, number>;
  /** Whether a random model may write bytes that are no characters, as a damaged one does. */
  garbles?: boolean;
  contextWindow?: number;
  seed?: number;
  layers?: number;
  width?: number;
};

type Tensor = { name: string; dims: number[]; fill(at: number): number };

const STRING = 8;
const ARRAY = 9;
const ALIGN = 32;
const HEADS = 4;
const NORMAL = 1;
const UNKNOWN = 2;
const CONTROL = 3;
const BYTE = 6;
/** Far above what random weights reach, after the square root of the width. */
const STEER = 4;

export function tinyGguf({
  steps = [],
  leanings = {},
  garbles = false,
  contextWindow = 4_096,
  seed = 42,
  layers = 1,
  width,
}: TinyGguf = {}): Uint8Array {
  const vocabulary = tokens(steps, leanings);
  const size = width ?? (steps.length > 0 ? Math.ceil(vocabulary.length / 32) * 32 : 64);
  const meta = metadata(vocabulary, steps.length, { contextWindow, layers, size });
  const tensors =
    steps.length > 0
      ? steered(vocabulary, steps.length, size)
      : random(vocabulary, size, layers, { seed, leanings, garbles });
  return file(meta, tensors);
}

type Token = { text: string; type: number };

function tokens(steps: string[], leanings: Record<string, number>): Token[] {
  const words = Object.keys(leanings).filter((word) => word.length > 1 && !SPECIAL.includes(word));
  const bytes = Array.from({ length: 256 }, (_, at) => ({
    text: byteToken(String.fromCharCode(at)),
    type: BYTE,
  }));
  const letters = Array.from({ length: 27 }, (_, at) => ({
    text: at === 0 ? '\u2581' : String.fromCharCode(96 + at),
    type: NORMAL,
  }));
  return [
    ...SPECIAL.map((text, at) => ({ text, type: at === 0 ? UNKNOWN : CONTROL })),
    ...bytes,
    ...letters,
    ...words.map((word) => ({ text: word, type: NORMAL })),
    ...steps.map((_, at) => ({ text: `<|step${at}|>`, type: CONTROL })),
    ...steps.map((text) => ({ text: text.replaceAll(' ', '\u2581'), type: NORMAL })),
  ];
}

/** Says who spoke; then which step it is, by the answers so far. */
function template(steps: number): string {
  const messages = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:";
  if (steps === 0) return messages;
  const counted =
    "{% set ns = namespace(n=0) %}{% for m in messages %}{% if m['role'] == 'assistant' %}{% set ns.n = ns.n + 1 %}{% endif %}{% endfor %}";
  const marks = Array.from(
    { length: steps },
    (_, at) => `{% if ns.n % ${steps} == ${at} %}<|step${at}|>{% endif %}`,
  );
  return counted + messages + marks.join('');
}

function metadata(
  vocabulary: Token[],
  steps: number,
  { contextWindow, layers, size }: { contextWindow: number; layers: number; size: number },
): Uint8Array[] {
  const array = (type: number, items: Uint8Array[]): Uint8Array =>
    joined([u32(type), u64(items.length), ...items]);
  const entries: [string, number, Uint8Array][] = [
    ['general.architecture', STRING, text('llama')],
    ['general.name', STRING, text('tiny')],
    ['llama.context_length', 4, u32(contextWindow)],
    ['llama.embedding_length', 4, u32(size)],
    ['llama.block_count', 4, u32(layers)],
    ['llama.feed_forward_length', 4, u32(size * 2)],
    ['llama.attention.head_count', 4, u32(HEADS)],
    ['llama.attention.head_count_kv', 4, u32(HEADS)],
    ['llama.attention.layer_norm_rms_epsilon', 6, f32(1e-5)],
    ['llama.rope.dimension_count', 4, u32(size / HEADS)],
    ['llama.vocab_size', 4, u32(vocabulary.length)],
    ['general.file_type', 4, u32(0)],
    ['tokenizer.ggml.model', STRING, text('llama')],
    [
      'tokenizer.ggml.tokens',
      ARRAY,
      array(
        STRING,
        vocabulary.map((token) => text(token.text)),
      ),
    ],
    [
      'tokenizer.ggml.scores',
      ARRAY,
      array(
        6,
        vocabulary.map((_, at) => f32(-at)),
      ),
    ],
    [
      'tokenizer.ggml.token_type',
      ARRAY,
      array(
        5,
        vocabulary.map(({ type }) => u32(type)),
      ),
    ],
    ['tokenizer.ggml.bos_token_id', 4, u32(1)],
    ['tokenizer.ggml.eos_token_id', 4, u32(2)],
    ['tokenizer.ggml.unknown_token_id', 4, u32(0)],
    ['tokenizer.ggml.add_bos_token', 7, Uint8Array.of(1)],
    ['tokenizer.chat_template', STRING, text(template(steps))],
  ];
  return entries.map(([key, type, value]) => joined([text(key), u32(type), value]));
}

const NEVER = -200;
const SPECIAL = ['<unk>', '<s>', '</s>'];

function random(
  vocabulary: Token[],
  size: number,
  layers: number,
  { seed, leanings, garbles }: Required<Pick<TinyGguf, 'seed' | 'leanings' | 'garbles'>>,
): Tensor[] {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 32 - 0.5) * 0.4;
  };
  const known = new Map(
    Object.entries(leanings).flatMap(
      ([said, by]) =>
        [
          [said, by],
          [byteToken(said), by],
        ] as const,
    ),
  );
  const leans = vocabulary.map(({ text }, token) => {
    if (isStrange(token) && !garbles) return NEVER;
    return known.get(text) ?? 0;
  });
  // One number of every vector is nearly constant: by it, tokens are likelier or less so.
  const steady = (at: number): boolean => at % size === 0;
  const leaning = (at: number): number => leans[Math.floor(at / size)] ?? 0;
  return shaped(vocabulary.length, size, layers, {
    embedding: (at) => (steady(at) ? 1 : next()),
    output: (at) => (steady(at) && leaning(at) !== 0 ? leaning(at) : next()),
    inner: next,
    // The layers leave the constant number alone.
    back: (at, width) => (Math.floor(at / width) === 0 ? 0 : next()),
  });
}

/** Bytes above ASCII alone are no characters; engines stumble over what is not UTF-8. */
function isStrange(token: number): boolean {
  return token >= 3 + 128 && token < 3 + 256;
}

function byteToken(char: string): string {
  return `<0x${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}>`;
}

/** Each token leads to one next: a step's mark to its text, its text to the end. The layers add nothing. */
function steered(vocabulary: Token[], steps: number, size: number): Tensor[] {
  const first = vocabulary.length - 2 * steps;
  const nextOf = (token: number): number => {
    if (token >= first + steps) return 2;
    return token >= first ? token + steps : 2;
  };
  return shaped(vocabulary.length, size, 1, {
    embedding: (at) => (at % size === Math.floor(at / size) ? 1 : 0),
    output: (at) => (nextOf(at % size) === Math.floor(at / size) ? STEER : 0),
    inner: () => 0,
    back: () => 0,
  });
}

type Fill = (at: number) => number;

function shaped(
  vocabulary: number,
  size: number,
  layers: number,
  {
    embedding,
    output,
    inner,
    back,
  }: { embedding: Fill; output: Fill; inner: Fill; back: (at: number, width: number) => number },
): Tensor[] {
  const one: Fill = () => 1;
  const layer = (at: number): Tensor[] => {
    const name = (part: string): string => `blk.${at}.${part}.weight`;
    const square = ['attn_q', 'attn_k', 'attn_v'];
    return [
      { name: name('attn_norm'), dims: [size], fill: one },
      ...square.map((part) => ({ name: name(part), dims: [size, size], fill: inner })),
      { name: name('attn_output'), dims: [size, size], fill: (at: number) => back(at, size) },
      { name: name('ffn_norm'), dims: [size], fill: one },
      { name: name('ffn_gate'), dims: [size, size * 2], fill: inner },
      { name: name('ffn_up'), dims: [size, size * 2], fill: inner },
      { name: name('ffn_down'), dims: [size * 2, size], fill: (at: number) => back(at, size * 2) },
    ];
  };
  return [
    { name: 'token_embd.weight', dims: [size, vocabulary], fill: embedding },
    ...Array.from({ length: layers }, (_, at) => layer(at)).flat(),
    { name: 'output_norm.weight', dims: [size], fill: one },
    { name: 'output.weight', dims: [size, vocabulary], fill: output },
  ];
}

function file(meta: Uint8Array[], tensors: Tensor[]): Uint8Array {
  let offset = 0;
  const data = tensors.map(({ dims, fill }) => {
    const values = new Float32Array(dims.reduce((a, b) => a * b, 1));
    for (let at = 0; at < values.length; at += 1) values[at] = fill(at);
    return aligned(new Uint8Array(values.buffer));
  });
  const infos = tensors.map(({ name, dims }, at) => {
    const info = joined([text(name), u32(dims.length), ...dims.map(u64), u32(0), u64(offset)]);
    offset += data[at]?.length ?? 0;
    return info;
  });
  const magic = new TextEncoder().encode('GGUF');
  const head = joined([magic, u32(3), u64(tensors.length), u64(meta.length), ...meta, ...infos]);
  return joined([aligned(head), ...data]);
}

function aligned(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil(bytes.length / ALIGN) * ALIGN);
  padded.set(bytes);
  return padded;
}

function joined(parts: Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function text(value: string): Uint8Array {
  const bytes = new TextEncoder().encode(value);
  return joined([u64(bytes.length), bytes]);
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

function u64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value), true);
  return bytes;
}

function f32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return bytes;
}
