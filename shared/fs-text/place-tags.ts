/** What a place deserves a look for (FACTS, "Approval policy"). */
export type PlaceTag = 'hidden-path' | 'outside-home';

/** Hidden files that only say what other programs pass over or how text is laid out. */
const HARMLESS = /^\.(git|docker|npm|prettier|eslint|rg)?ignore$|^\.(editorconfig|gitkeep|keep)$/i;
/** Where a system keeps itself, and not what people work on. */
const SYSTEM =
  /^\/(?!var\/(folders|tmp|www)\/|private\/(tmp|var\/folders|var\/tmp)\/)(etc|usr|s?bin|lib\w*|opt|boot|dev|proc|sys|var|run|nix|snap|system|library|applications|private|cores)(\/|$)/i;
/** Below a home: what its programs are and what starts by itself. */
const OWN_PROGRAMS = /^(~|\/root|\/home\/[^/]+|\/users\/[^/]+)\/(bin|library)(\/|$)/i;

/**
 * What a path on a workstation leads to, as far as its text tells: hidden files, which programs run and trust, and what
 * is outside of anybody's work. Relative paths start at the workspace; one that leaves it could lead anywhere.
 */
export function placeTags(path: string): PlaceTag[] {
  const segments = lexical(path);
  const place = (path.startsWith('/') ? '/' : '') + segments.join('/');
  const hidden = segments.some((segment) => /^\.[^.]|^\.\.[^/]/.test(segment) && !HARMLESS.test(segment));
  const outside = segments.includes('..') || SYSTEM.test(place) || OWN_PROGRAMS.test(place);
  return [...(hidden ? (['hidden-path'] as const) : []), ...(outside ? (['outside-home'] as const) : [])];
}

/** The names of a path, `..` taken back where something stands before it; a leading one and one after `~` stays. */
function lexical(path: string): string[] {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') kept.push(segment);
    else if (kept.length > 0 && kept.at(-1) !== '..' && kept.at(-1) !== '~') kept.pop();
    else if (kept.length > 0 || !path.startsWith('/')) kept.push(segment);
  }
  return kept;
}
