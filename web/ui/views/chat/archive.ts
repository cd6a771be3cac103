import { lazy } from 'solid-js';
import type { About } from '../../live/conversation.ts';

/** The archive of a conversation, and what is read of it first: a segment, and the message that was looked for. */
export type ArchivedPlace = { about: About; found?: { segmentId: string; messageId: number | null } };

/** Fetched when it is opened. */
export const ArchiveDialog = lazy(async () => ({
  default: (await import('./archive-dialog.tsx')).ArchiveDialog,
}));
