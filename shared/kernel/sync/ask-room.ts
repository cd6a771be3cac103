import type { CallOptions, Peer } from '../../protocol/peer.ts';
import type { ByteStream } from '../../protocol/streams.ts';
import { checkResult } from '../../syscalls/gate.ts';
import type { Args, Result, RoomSyscall } from '../../syscalls/table.ts';

/** What a room answered; `stream` are the bytes beside it. */
export type RoomAnswer<Name extends RoomSyscall> = { data: Result<Name>; stream: ByteStream | undefined };

/** Makes a call that only a room answers. Rejects with SyscallError, 502 when the answer is not what the table says. */
export async function askRoom<Name extends RoomSyscall>(
  peer: Pick<Peer, 'call'>,
  name: Name,
  args: Args<Name>,
  options: CallOptions = {},
): Promise<RoomAnswer<Name>> {
  const { data, stream } = await peer.call(name, args, options);
  return { data: checkResult(name, data) as Result<Name>, stream };
}
