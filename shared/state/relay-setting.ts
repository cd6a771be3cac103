/** The setting below `ai/` by which the owner of a sealed GSV lets its server pass calls to model providers on. */
export const RELAY_SETTING = 'relay';
/** Any other value means no. */
export const RELAY_ALLOWED = 'allowed';
