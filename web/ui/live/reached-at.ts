import { read, write } from '../parts/memory.ts';

const KEY = 'reached-at';

/** Whether only this very computer can open an address with this host. */
export function isOwnHostOnly(hostname: string): boolean {
  return /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Where the page of this server opens on the computer that it runs on. */
export function sameComputerAddress({ hash, port }: Pick<Location, 'hash' | 'port'>): string {
  return `http://localhost${port === '' ? '' : `:${port}`}/${hash}`;
}

/** What is wrong with an address for other devices, in words; null when nothing is. Browsers work over HTTPS alone. */
export function addressProblem(text: string, forWhom: 'browser' | 'workstation'): string | null {
  const address = text.trim();
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    return `An address such as ${forWhom === 'browser' ? 'https://gsv.example.org' : 'http://192.168.1.20:1999'}.`;
  if (isOwnHostOnly(new URL(address).hostname)) return 'That is this computer itself.';
  if (forWhom === 'browser' && new URL(address).protocol === 'http:')
    return 'A browser needs HTTPS: the address begins with https://.';
  return null;
}

/** The origin under which other devices reach this server: what its person said last, where the page stands on localhost. */
export function reachedAt(forWhom: 'browser' | 'workstation'): string {
  const said = isOwnHostOnly(location.hostname) ? read(KEY) : '';
  return addressProblem(said, forWhom) === null ? said : location.origin;
}

export function rememberReachedAt(address: string): void {
  write(KEY, new URL(address.trim()).origin);
}
