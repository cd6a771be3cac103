/** The images that models take. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/** The type of an image by its first bytes (12 suffice), whatever its name says. */
export function imageType(bytes: Uint8Array): ImageType | undefined {
  if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (startsWith(bytes, '\xff\xd8\xff')) return 'image/jpeg';
  if (startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) return 'image/gif';
  if (startsWith(bytes, 'RIFF') && startsWith(bytes.subarray(8), 'WEBP')) return 'image/webp';
  return undefined;
}

function startsWith(bytes: Uint8Array, magic: string): boolean {
  return bytes.length >= magic.length && [...magic].every((byte, at) => bytes[at] === byte.charCodeAt(0));
}
