import { SyscallError } from '../../../protocol/errors.ts';
import type { SystemTables } from '../../../state/system.ts';
import { checkArgs } from '../../../syscalls/gate.ts';
import { accessibleDevices, type DeviceParts } from '../../sys/accessible-devices.ts';
import { type Credentials, mayCall } from '../credentials.ts';
import { FsError } from '../fs-error.ts';
import { type DirNode, type FileNode, type Tree, treeView } from './tree.ts';
import { jsonFile, textFile, type View } from './view.ts';

/** The rules of `sys.config`; nothing here goes around them. `set` rejects with SyscallError when it may not be. */
export type ConfigAccess = {
  /** Entries at or below a prefix that the caller may see; all with an empty prefix. */
  list(caller: Credentials, prefix: string): { key: string; value: string }[];
  get(caller: Credentials, key: string): string | undefined;
  /** Resolves when it is on disk. */
  set(caller: Credentials, key: string, value: string): Promise<void>;
};

/** `/sys/{capabilities,config,devices,users}`: what the `sys` syscalls answer, as files. */
export function sysView(tables: SystemTables, config: ConfigAccess, keys: DeviceParts['keys']): View {
  return treeView((caller) => {
    const entries = new Map<string, Tree>([['capabilities', capabilitiesDir(tables)]]);
    if (mayCall(caller, 'sys.config.get')) entries.set('config', configDir(config, caller));
    if (mayCall(caller, 'sys.device.list')) entries.set('devices', devicesDir({ tables, keys }, caller));
    entries.set('users', usersDir(tables));
    return { children: () => entries };
  });
}

function capabilitiesDir(tables: SystemTables): DirNode {
  return listing(tables.groups.rows(), ({ name, capabilities }) => [
    name,
    () => textFile(capabilities.join('\n')),
  ]);
}

function usersDir(tables: SystemTables): DirNode {
  return listing(tables.users.rows(), (user) => [user.username, () => jsonFile(user)]);
}

function devicesDir(parts: DeviceParts, caller: Credentials): DirNode {
  return listing(accessibleDevices(parts, caller), (device) => [device.deviceId, () => jsonFile(device)]);
}

function listing<Row>(rows: Row[], file: (row: Row) => [string, FileNode['read']]): DirNode {
  return { children: () => new Map(rows.map(file).map(([name, read]) => [name, { read }])) };
}

/** Keys as paths. Every file asks for write permission by its key's rules, not by its mode. */
function configDir(config: ConfigAccess, caller: Credentials): DirNode {
  const dirOf = (prefix: string): DirNode => ({
    mode: 0o755,
    children: () => childrenOf(prefix),
    write: (path, bytes) => setKey(config, caller, prefix + path.join('/'), bytes),
  });
  const childrenOf = (prefix: string): Map<string, Tree> => {
    const entries = new Map<string, Tree>();
    for (const { key, value } of config.list(caller, prefix)) {
      const [name = '', ...deeper] = key.slice(prefix.length).split('/');
      if (name === '') continue;
      if (deeper.length > 0) entries.set(name, dirOf(`${prefix}${name}/`));
      else if (!entries.has(name)) entries.set(name, keyFile(config, caller, key, value));
    }
    return entries;
  };
  return dirOf('');
}

function keyFile(config: ConfigAccess, caller: Credentials, key: string, value: string): FileNode {
  return { mode: 0o666, read: () => textFile(value), write: (bytes) => setKey(config, caller, key, bytes) };
}

/** Writes a key as `sys.config.set` would; the line break that an `echo` ends with is not part of the value. */
async function setKey(
  config: ConfigAccess,
  caller: Credentials,
  key: string,
  bytes: Uint8Array,
): Promise<void> {
  const path = `/sys/config/${key}`;
  if (!mayCall(caller, 'sys.config.set')) throw new FsError('EACCES', path);
  const value = new TextDecoder().decode(bytes).replace(/\n$/, '');
  try {
    const args = checkArgs('sys.config.set', { key, value });
    await config.set(caller, args.key, args.value);
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    if (error.code === 507) throw new FsError('ENOSPC', path, error.message);
    throw new FsError(error.code === 403 ? 'EACCES' : 'EINVAL', path);
  }
}
