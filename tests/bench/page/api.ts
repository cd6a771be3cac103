export type ModelSettings = { provider: string; baseUrl: string; model: string };
export type Account = { username: string; password: string };
/** What pi-ai alone is given to talk with, as large as what the kernel sends. */
export type PiOpening = {
  baseUrl: string;
  model: string;
  system: string;
  tools: { name: string; description: string; parameters: unknown }[];
  /** User's and assistant's texts by turns, oldest first. */
  history: string[];
};

/**
 * From the first text that came to the last: milliseconds, and the characters after the first text, which are tokens to
 * this model. `tokens` and `prompt` are those that were written and read in all.
 */
export type Generation = { ms: number; characters: number; tokens: number; prompt: number };

/** What the bench page measures, in milliseconds. Called from outside, so arguments and results are JSON. */
export interface BenchPage {
  /** Attaches, sets this GSV up and signs in. */
  setUp(account: Account, model: ModelSettings | null): Promise<void>;
  /** Starts a kernel where none runs; its time until this tab is signed in. */
  boot(): Promise<number>;
  /** The median time of one `sys.config.get` among `times`. */
  syscalls(times: number): Promise<number>;
  /** The same of a Comlink echo. */
  echoes(times: number): Promise<number>;
  /** A new process; its pid. */
  spawn(): Promise<string>;
  writeFile(path: string, content: string): Promise<void>;
  setConfig(key: string, value: string): Promise<void>;
  /** From `proc.send` to `proc.run.finished`. */
  turn(pid: string, text: string): Promise<number>;
  /** Gives pi-ai alone its context. */
  openPi(opening: PiOpening): Promise<void>;
  /** The same exchange by pi-ai alone, a tool's result given by the bench. */
  piTurn(text: string): Promise<number>;
  /** Brings a GGUF file onto this device and makes it the model that answers, without tools. */
  useLocalModel(address: string, id: string): Promise<void>;
  /** One turn on it, in a new process. */
  generateHere(): Promise<Generation>;
  openBareWllama(gguf: string, wasm: string, contextWindow: number): Promise<void>;
  generateBare(prompt: number, most: number): Promise<Generation>;
  /** `view.open` of a conversation, as the chat opens it. */
  openConversation(pid: string): Promise<number>;
  /** A search of a conversation for words that are there. */
  search(pid: string, query: string): Promise<number>;
  /** One message of it, by its place. */
  readMessage(pid: string, offset: number): Promise<number>;
  /** A schedule that fires in a second: from then until its command is done, the mean of some. */
  tick(): Promise<number>;
  /** Writes messages to a process's conversation, while no kernel runs. */
  seedMessages(pid: string, count: number, characters: number): Promise<void>;
  /** Writes processes with a few messages each, while no kernel runs. */
  seedProcesses(count: number): Promise<void>;
  /** Writes schedules of the first user, while no kernel runs; none of them is due soon. */
  seedSchedules(count: number): Promise<void>;
}
