import type {
  Availability,
  PromptApi,
  PromptMessage,
  PromptOptions,
  PromptSession,
  SessionOptions,
} from '../../web/model-worker/prompt-api.ts';

export type ScriptedPromptApi = PromptApi & {
  /** The messages of each session, in the order in which they were begun. */
  readonly sessions: { messages: PromptMessage[]; ended: boolean }[];
  readonly asked: PromptOptions[];
  state: Availability;
};

/**
 * A browser's Prompt API whose model says the next of `answers`, in pieces; an Error among them is thrown. Stands alone:
 * it is also given to a page as source.
 */
export function scriptedPromptApi(answers: (string | Error)[], contextWindow = 4_096): ScriptedPromptApi {
  const pieces = (text: string): ReadableStream<string> =>
    new ReadableStream({
      start: (controller) => {
        for (let at = 0; at < text.length; at += 5) controller.enqueue(text.slice(at, at + 5));
        controller.close();
      },
    });
  const api: ScriptedPromptApi = {
    sessions: [],
    asked: [],
    state: 'available',
    availability: async () => api.state,
    create: async ({ initialPrompts = [], monitor }: SessionOptions): Promise<PromptSession> => {
      const record = { messages: [...initialPrompts], ended: false };
      api.sessions.push(record);
      if (monitor && api.state === 'downloadable') {
        const target = new EventTarget();
        monitor(target);
        target.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded: 0.5 }));
        api.state = 'available';
      }
      return {
        promptStreaming: (messages: PromptMessage[], options: PromptOptions) => {
          api.asked.push(options);
          const next = answers.shift() ?? 'out of script';
          if (typeof next !== 'string') throw next;
          record.messages.push(...messages, { role: 'assistant', content: next });
          return pieces(next);
        },
        contextWindow,
        get contextUsage() {
          return record.messages.reduce((sum, { content }) => sum + content.length, 0);
        },
        destroy: () => {
          record.ended = true;
        },
      };
    },
  };
  return api;
}
