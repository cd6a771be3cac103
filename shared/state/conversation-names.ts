/** The conversation that every process has from its beginning. */
export const DEFAULT_CONVERSATION = 'default';
/** What a model is told of a call that its person has denied. */
export const DENIED_BY_PERSON = 'The user denied this call. Do not try it again unless they ask.';
/** How a message that tells the model of an event begins. */
export const eventPrefix = '[Process Event]: ';
