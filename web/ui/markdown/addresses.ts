const linkSchemes = new Set(['http:', 'https:', 'mailto:']);
const pictureData = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=]+$/i;

/** An address that may be followed from text that nobody checked; null for every other. Relative ones lead nowhere. */
export function linkAddress(href: string): string | null {
  try {
    const url = new URL(href.trim());
    return linkSchemes.has(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** A picture that needs no request; null for every other. */
export function pictureAddress(href: string): string | null {
  return pictureData.test(href) ? href : null;
}
