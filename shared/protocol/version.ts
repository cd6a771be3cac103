/** The number that `sys.connect` must carry (FACTS, "Handshake and wire"). */
export const PROTOCOL_VERSION = 2;

/** What `sys.connect` reports as the program's version. */
export const GSV_VERSION = '0.1.0';
