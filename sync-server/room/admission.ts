/** The right of one replica to come in without a token: by the claim secret of a room without an owner, or by an invitation. */
export interface Admission {
  /** Milliseconds in which the system document must hold a live token of the replica; null: as long as it is connected. */
  readonly tokenWithinMs: number | null;
  /** Makes the secret this replica's, for good. Throws 401 or 409 when it is another's by now, 507 when that cannot be stored. */
  begin(): Promise<void>;
  /** The system document holds the replica's token. Throws 507 when that cannot be noted; it is asked again. */
  complete(): Promise<void>;
  /** The session is gone, or stands on its token. */
  end(): void;
}
