/** The token by which this replica joins its room. */
export const ROOM_TOKEN = 'room/token';
/** What lets it in for the first time. */
export const ROOM_CLAIM = 'room/claim';
/** An invitation that is being followed. */
export const INVITE = 'room/invite';

/** In the vault: without these a replica belongs to no room. */
export const ROOM_SECRETS: readonly string[] = [ROOM_TOKEN, ROOM_CLAIM, INVITE];
