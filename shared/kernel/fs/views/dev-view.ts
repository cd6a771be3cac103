import type { Random } from '../../../std/random.ts';
import { type FileNode, treeView } from './tree.ts';
import type { View } from './view.ts';

/** Endless files are read whole here, so they end after this many bytes. */
export const DEVICE_BYTES = 64 * 1024;

/** `/dev/{null,zero,random,urandom}`; what is written to them is gone. */
export function devView(random: Random): View {
  const device = (read: () => Uint8Array<ArrayBuffer>): FileNode => ({
    mode: 0o666,
    read,
    write: async () => {},
  });
  const noise = device(() => new Uint8Array(random.bytes(DEVICE_BYTES)));
  const children = new Map([
    ['null', device(() => new Uint8Array(0))],
    ['zero', device(() => new Uint8Array(DEVICE_BYTES))],
    ['random', noise],
    ['urandom', noise],
  ]);
  return treeView(() => ({ children: () => children }));
}
