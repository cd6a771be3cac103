import { createStore } from 'solid-js/store';
import { messageOf } from '../../../shared/protocol/errors.ts';

export type Notice = { id: number; tone: 'good' | 'bad'; text: string };
export type Question = { title: string; text: string; action: string; danger: boolean };
type Asked = Question & { answer(yes: boolean): void };

/** Words to the person that belong to no place on the screen: short notices, and questions before harm. */
export type Notices = {
  list: readonly Notice[];
  question(): Asked | null;
  good(text: string): void;
  bad(text: string): void;
  dismiss(id: number): void;
  /** Resolves to false when the question is closed. */
  confirm(question: Question): Promise<boolean>;
  /**
   * Runs something that may fail and tells the person when it does. Both kinds of failure count: a rejected call, and
   * an answer `{ok: false, error}`. Resolves to null after a failure.
   */
  attempt<Answer>(what: string, work: () => Promise<Answer>): Promise<Exclude<Answer, { ok: false }> | null>;
};

/** How long a notice stays: good news can be missed, bad news is closed by hand or after longer. */
const GOOD_MS = 4_000;
const BAD_MS = 12_000;

export function createNotices(): Notices {
  const [state, setState] = createStore<{ list: Notice[]; question: Asked | null }>({
    list: [],
    question: null,
  });
  let lastId = 0;

  const dismiss = (id: number): void => setState('list', (list) => list.filter((notice) => notice.id !== id));
  const add = (tone: Notice['tone'], text: string): void => {
    lastId += 1;
    const id = lastId;
    setState('list', (list) => [
      ...list.filter((notice) => notice.text !== text).slice(-3),
      { id, tone, text },
    ]);
    setTimeout(() => dismiss(id), tone === 'good' ? GOOD_MS : BAD_MS);
  };
  const bad = (text: string): void => add('bad', text);

  return {
    get list() {
      return state.list;
    },
    question: () => state.question,
    good: (text) => add('good', text),
    bad,
    dismiss,
    confirm: (question) =>
      new Promise((resolve) => {
        const answer = (yes: boolean): void => {
          setState('question', null);
          resolve(yes);
        };
        setState('question', { ...question, answer });
      }),
    async attempt(what, work) {
      try {
        const answer = await work();
        const failure = failureOf(answer);
        if (failure === null) return answer as Exclude<typeof answer, { ok: false }>;
        bad(`${what}: ${failure}`);
      } catch (thrown) {
        bad(`${what}: ${messageOf(thrown)}`);
      }
      return null;
    },
  };
}

/** The words of an answer `{ok: false, error}`; null for every other answer. */
export function failureOf(answer: unknown): string | null {
  if (typeof answer !== 'object' || answer === null) return null;
  const { ok, error } = answer as { ok?: unknown; error?: unknown };
  if (ok !== false) return null;
  return typeof error === 'string' ? error : 'It did not work.';
}
