/**
 * Whom a push service can reach about what a server sends for this user (RFC 8292, 2.1). The person sets it; the room
 * signs it into what it sends.
 */
export const contactKey = (uid: number): string => `users/${uid}/push/contact`;

export const isContactKey = (key: string): boolean => /^users\/\d+\/push\/contact$/.test(key);

const MAIL = /^mailto:[^\s@:]+@[^\s@]+\.[^\s@]+$/;
const MOST_CHARACTERS = 256;

/** Whether a text is an address as push services take it: `mailto:` or `https:`. */
export function isContact(text: string): boolean {
  if (text.length > MOST_CHARACTERS) return false;
  return MAIL.test(text) || (URL.canParse(text) && new URL(text).protocol === 'https:');
}
