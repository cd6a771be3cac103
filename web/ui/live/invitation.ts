const deviceId = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** What is wrong with a name for a device, in words; null when nothing is. */
export function deviceIdProblem(id: string): string | null {
  if (id === '') return 'A device needs a name.';
  if (id === 'gsv') return '“gsv” is what GSV’s own place is called. Choose another name.';
  if (!deviceId.test(id))
    return 'Only lower-case letters, digits, dots, dashes and underscores, beginning with a letter or digit, at most 63.';
  return null;
}

/** Starts the driver again in the folder where the line of its connection was pasted: both its files are there. */
export function startLine(origin: string, id: string): string {
  return `node gsv.mjs device run --url ${origin} --token-file gsv.token --id ${id} --workspace ~`;
}

/**
 * The one line that fetches and starts the driver. The token goes through a shell builtin into a file that only its
 * owner can read: it is never in the arguments of a program.
 */
export function connectLine(origin: string, id: string, token: string): string {
  return [
    `curl -fsSLo gsv.mjs ${origin}/gsv.mjs`,
    `(umask 077; printf %s '${token}' > gsv.token)`,
    'chmod 600 gsv.token',
    startLine(origin, id),
  ].join(' && ');
}
