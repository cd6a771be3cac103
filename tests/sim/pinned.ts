/** Programs that once failed, shrunk, with what was wrong. They run every time. */
export const pinned: readonly { readonly program: string; readonly was: string }[] = [];
