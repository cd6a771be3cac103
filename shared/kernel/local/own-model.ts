import type { Shelf, ShelvedModel } from './local-models.ts';

/** The model that a browser itself has. Which one that is no browser says, and it has no file of ours. */
export const OWN_MODEL = 'own';
export const OWN_MODEL_NAME = 'The browser’s own model';

/** Less than any browser's model reads; how much it is comes with its first session. */
const WINDOW = 4_096;

/** A shelf on which the browser's own model stands beside the others. Whether there is one only a page finds out. */
export function withOwnModel(shelf: Shelf): Shelf {
  const own: ShelvedModel = { name: OWN_MODEL_NAME, files: [], contextWindow: WINDOW, callsTools: true };
  return {
    find: async (engine, model) =>
      engine === 'browser' ? (model === OWN_MODEL ? own : undefined) : shelf.find(engine, model),
    list: async (engine) =>
      engine === 'browser'
        ? [{ id: OWN_MODEL, name: OWN_MODEL_NAME, contextWindow: WINDOW }]
        : shelf.list(engine),
    measured: (engine, model, speed) => engine !== 'browser' && shelf.measured(engine, model, speed),
  };
}
