import type { Link } from '../../protocol/link.ts';

/** The way to this GSV's room. */
export interface RoomDialer {
  /** Opens a link to the room; rejects with a plain reason when it cannot. The caller closes the link. May be slow. */
  dial(signal: AbortSignal): Promise<Link>;
  /**
   * The bearer token for requests beside the link (the provider relay); null when this replica has not joined, or when
   * it is `withheld`: the person of this GSV has not allowed that the room reads such requests.
   */
  setToken(token: string | null, withheld?: boolean): void;
}
