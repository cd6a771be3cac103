/** The conversation that every process has from its beginning. */
export const DEFAULT_CONVERSATION = 'default';
/** How a message that tells the model of an event begins. */
export const eventPrefix = '[Process Event]: ';
