import { messageOf, SyscallError } from '../../../shared/protocol/errors.ts';

/** `9:41`, and null when the time is over. */
export function timeLeft(expiresAt: number, now: number): string | null {
  const seconds = Math.ceil((expiresAt - now) / 1_000);
  if (seconds <= 0) return null;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Why an invitation was not accepted, and what helps. `again`: the same link may work in a moment. */
export type JoinProblem = { title: string; text: string; again: boolean };

const another = 'Make a new link in the browser that has GSV: Devices, “Add a browser”.';

export function joinProblem(thrown: unknown): JoinProblem {
  const code = thrown instanceof SyscallError ? thrown.code : 500;
  const said = messageOf(thrown);
  switch (code) {
    case 409:
      return holdsAnother;
    case 401:
    case 403:
    case 404:
    case 410:
      if (/expire|too late|over/i.test(said))
        return {
          title: 'This link has expired',
          text: `A link works for ten minutes. ${another}`,
          again: false,
        };
      if (/used/i.test(said))
        return { title: 'This link was used already', text: `A link works once. ${another}`, again: false };
      return {
        title: 'This link is not valid any more',
        text: `A link works once, and for ten minutes. ${another}`,
        again: false,
      };
    case 429:
      return {
        title: 'Too many attempts',
        text: 'The server takes no more attempts for the moment. Try again in a minute.',
        again: true,
      };
    case 499:
    case 503:
    case 504:
      return {
        title: 'The server cannot be reached',
        text: 'Nothing has been changed. See that this device is online and the server runs, then try again; the link works for ten minutes.',
        again: true,
      };
    default:
      return { title: 'It could not be opened here', text: said, again: true };
  }
}

/** Why a recovery phrase did not open a GSV here. */
export function phraseProblem(thrown: unknown): string {
  const code = thrown instanceof SyscallError ? thrown.code : 500;
  if (code === 401 || code === 410)
    return 'The server knows no such phrase. It may be of another GSV, or a newer one was made since.';
  if ([499, 503, 504].includes(code))
    return 'The server cannot be reached. See that this device is online and the server runs, then try again.';
  if (code === 429) return joinProblem(thrown).text;
  return messageOf(thrown);
}

/** An invitation is for an empty browser: one browser holds one GSV. */
export const holdsAnother: JoinProblem = {
  title: 'This browser already holds a GSV',
  text: 'A browser holds one GSV, and nothing of it has been changed. If the link belongs to the GSV that is here, there is nothing to do.',
  again: false,
};
