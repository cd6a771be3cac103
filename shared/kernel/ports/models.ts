/** Blocks of a message, as models exchange them (pi-ai's shapes). */
export type TextBlock = { type: 'text'; text: string };
export type ImageBlock = { type: 'image'; data: string; mimeType: string };
export type ThinkingBlock = { type: 'thinking'; thinking: string; signature?: string };
export type ToolCallBlock = {
  type: 'toolCall';
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  signature?: string;
};
export type AssistantBlock = TextBlock | ThinkingBlock | ToolCallBlock;

export type Usage = {
  /** Tokens. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** US dollars; 0 where the price is not known. */
  cost: number;
};

export type ModelMessage =
  | { role: 'user'; content: (TextBlock | ImageBlock)[]; timestamp: number }
  | { role: 'assistant'; content: AssistantBlock[]; provider: string; model: string; timestamp: number }
  | {
      role: 'toolResult';
      toolCallId: string;
      toolName: string;
      content: (TextBlock | ImageBlock)[];
      isError: boolean;
      timestamp: number;
    };

export type ModelTool = { name: string; description: string; parameters: Record<string, unknown> };

/** Which model, and how to reach it. `apiKey` is empty where none is needed. */
export type ModelChoice = {
  provider: string;
  model: string;
  apiKey: string;
  baseUrl?: string;
  reasoning?: string;
};

export type ModelRequest = {
  choice: ModelChoice;
  system: string;
  messages: ModelMessage[];
  tools: ModelTool[];
  maxTokens: number;
  /** The process id, for providers that keep a prefix warm. */
  affinity: string;
  signal: AbortSignal;
};

/** Deltas as they arrive; `contentIndex` is the block's place in the final message. */
export type ModelDelta =
  /** A message begins; what was streamed of an earlier try is void. */
  | { type: 'start' }
  | { type: 'text_start' | 'thinking_start' | 'toolcall_start'; contentIndex: number }
  | { type: 'text_delta' | 'thinking_delta' | 'toolcall_delta'; contentIndex: number; delta: string }
  | { type: 'text_end' | 'thinking_end' | 'toolcall_end'; contentIndex: number };

/** What is shown of a generation: its deltas, then how it ended. */
export type StreamEvent =
  | ModelDelta
  | { type: 'done'; reason: 'stop' | 'length' | 'toolUse' }
  | { type: 'error'; reason: 'error' | 'aborted'; error: string };

/** How a generation ended. Failure is data (DESIGN 2.5). */
export type ModelOutcome =
  | { kind: 'message'; content: AssistantBlock[]; usage: Usage | null; stop: 'stop' | 'length' | 'toolUse' }
  | {
      kind: 'failed';
      error: string;
      retryable: boolean;
      /** There was no way to the provider at all. */
      unreachable?: true;
      partial: AssistantBlock[];
      usage: Usage | null;
    }
  | { kind: 'aborted'; partial: AssistantBlock[]; usage: Usage | null };

export type ModelFacts = {
  contextWindow: number;
  maxTokens: number;
  /** What it takes; where nothing is said, text. */
  input?: readonly ('text' | 'image')[];
};

export type ModelInfo = { id: string; name: string; contextWindow?: number };

/** Language models. Slow by nature. */
export interface Models {
  /**
   * Never rejects: failures and aborts are outcomes. `onDelta` must not throw, nor may `onStatus`, which is told in a few
   * words what a model that is not answering yet waits for.
   */
  generate(
    request: ModelRequest,
    onDelta: (delta: ModelDelta) => void,
    onStatus?: (text: string) => void,
  ): Promise<ModelOutcome>;
  /** Rejects with a sentence a person understands. */
  list(choice: Omit<ModelChoice, 'model'>): Promise<ModelInfo[]>;
  /** What is known of a model without asking anybody. */
  describe(choice: Pick<ModelChoice, 'provider' | 'model'>): Promise<ModelFacts | undefined>;
  /** Whether the provider refused this browser, so that its calls go through the room's relay. */
  relayed(choice: Pick<ModelChoice, 'provider' | 'baseUrl'>): boolean;
}
