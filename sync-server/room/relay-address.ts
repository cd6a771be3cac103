import type { Control } from './control.ts';

/** Where providers answer when the account names one and gives no address of its own. */
const PROVIDER_ADDRESSES: Readonly<Record<string, string>> = {
  anthropic: 'https://api.anthropic.com',
  google: 'https://generativelanguage.googleapis.com',
  openai: 'https://api.openai.com/v1',
  openrouter: 'https://openrouter.ai/api/v1',
};

/** The addresses that a user's configuration names; root, as the kernel of everybody, has all of them. */
export function configuredAddresses(control: Control, uid: number): URL[] {
  const scope = uid === 0 ? /^(config|users\/\d+)\/ai\/(base_url|provider)$/ : userScope(uid);
  const addresses: URL[] = [];
  for (const [key, { value }] of control.tables.config.entries()) {
    const [, , setting] = scope.exec(key) ?? [];
    const address = setting === 'provider' ? PROVIDER_ADDRESSES[value.trim().toLowerCase()] : value;
    const url = setting && address ? parseAddress(address) : undefined;
    if (url) addresses.push(url);
  }
  return addresses;
}

function userScope(uid: number): RegExp {
  return new RegExp(`^(config|users/${uid})/ai/(base_url|provider)$`);
}

/** An http address without a user name or password in it. */
export function parseAddress(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const plain = url.username === '' && url.password === '';
  return plain && (url.protocol === 'https:' || url.protocol === 'http:') ? url : undefined;
}

/** Link-local addresses, and Amazon's in IPv6, as they stand in a URL. */
const CLOUD_SECRETS = /^(169\.254\.[\d.]+|\[(fe[89ab][\da-f]:.*|::ffff:a9fe:.*|fd00:ec2::254)\])$/;

/** Whether it is where clouds tell a machine its own secrets. A name that leads there the host must refuse. */
export function isOfTheCloud({ hostname }: URL): boolean {
  return CLOUD_SECRETS.test(hostname);
}

/** Whether `target` is at or below one of the addresses: same origin, and a path that begins with whole segments. */
export function isBelow(target: URL, addresses: readonly URL[]): boolean {
  // An encoded separator may become a step upwards in the eyes of the server that decodes it.
  if (/%2f|%5c|%2e|\\/i.test(target.pathname)) return false;
  return addresses.some((address) => {
    if (address.origin !== target.origin) return false;
    const prefix = address.pathname.endsWith('/') ? address.pathname : `${address.pathname}/`;
    return `${target.pathname}/`.startsWith(prefix);
  });
}
