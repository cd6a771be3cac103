import { type Accessor, createComputed, createSignal, on } from 'solid-js';

/**
 * What a question was answered. Nothing around it waits: a resource of Solid's would take the whole view out of the page
 * until the answer is there, and the focus, and what is being typed, with it.
 */
export type Asked<T> = {
  /** Undefined until the first answer; while it is asked again, the last one. */
  latest: Accessor<T | undefined>;
  asking: Accessor<boolean>;
  /** Resolves when it is answered. */
  again(): Promise<void>;
  put(answer: T): void;
};

/**
 * Asks at once, and again whenever `source` changes; of two answers that overtake each other the later question's counts.
 * `ask` tells its person itself what went wrong: a rejection here leaves what was known.
 */
export function createAsked<T>(ask: () => Promise<T>, source: Accessor<unknown> = () => null): Asked<T> {
  const [latest, setLatest] = createSignal<T>();
  const [asking, setAsking] = createSignal(false);
  let newest = 0;
  const put = (answer: T): void => void setLatest(() => answer);
  const again = async (): Promise<void> => {
    newest += 1;
    const own = newest;
    setAsking(true);
    const answer = await ask().then(
      (value) => ({ value }),
      () => null,
    );
    if (own !== newest) return;
    if (answer) put(answer.value);
    setAsking(false);
  };
  createComputed(on(source, () => void again()));
  return { latest, asking, again, put };
}
