import { SyscallError } from '../protocol/errors.ts';
import { covers } from '../syscalls/gate.ts';
import { type SyscallName, table } from '../syscalls/table.ts';

/** Where a call runs when no device is named. */
export const NATIVE_TARGET = 'gsv';
/** How long a shell session is remembered (FACTS, Numbers). */
export const SHELL_SESSION_MS = 24 * 60 * 60 * 1000;

export type RoutingCaller = { uid: number; gids: readonly number[] };
/** What routing needs to know of a device. */
export type RoutingDevice = {
  deviceId: string;
  ownerUid: number;
  online: boolean;
  implements: readonly string[];
};

/** What the kernel and the room each know; the rules are the same on both (spec/routing.md). */
export type RoutingView = {
  device(deviceId: string): RoutingDevice | undefined;
  /** Groups that were granted the device. */
  accessGids(deviceId: string): readonly number[];
  /** Whether a live connection leads to the device. */
  connected(deviceId: string): boolean;
  shellSession(sessionId: string): { deviceId: string; uid: number; createdAt: number } | undefined;
};

export type Route = { kind: 'native' } | { kind: 'device'; deviceId: string };

export function canUseDevice(
  caller: RoutingCaller,
  device: RoutingDevice,
  accessGids: readonly number[],
): boolean {
  return (
    caller.uid === 0 || caller.uid === device.ownerUid || accessGids.some((gid) => caller.gids.includes(gid))
  );
}

/**
 * Decides where a well-formed, permitted call runs. Throws what `spec/routing.md` lists: 403 no access,
 * 503 offline or not connected, 400 not implemented. An unknown device is as inaccessible as a foreign one.
 */
export function route(
  view: RoutingView,
  caller: RoutingCaller,
  call: SyscallName,
  args: { target?: string; sessionId?: string },
  now: number,
): Route {
  if (!table[call].routable) return { kind: 'native' };
  const deviceId = sessionTarget(view, caller, args, now) ?? args.target ?? NATIVE_TARGET;
  if (deviceId === NATIVE_TARGET) return { kind: 'native' };
  checkDevice(view, caller, call, deviceId);
  return { kind: 'device', deviceId };
}

function sessionTarget(
  view: RoutingView,
  caller: RoutingCaller,
  args: { target?: string; sessionId?: string },
  now: number,
): string | undefined {
  if (args.sessionId === undefined) return undefined;
  const session = view.shellSession(args.sessionId);
  if (!session || now - session.createdAt > SHELL_SESSION_MS) return undefined;
  if (caller.uid !== 0 && caller.uid !== session.uid)
    throw new SyscallError(403, 'Access denied to shell session');
  return session.deviceId;
}

function checkDevice(view: RoutingView, caller: RoutingCaller, call: SyscallName, deviceId: string): void {
  const device = view.device(deviceId);
  if (!device || !canUseDevice(caller, device, view.accessGids(deviceId))) {
    throw new SyscallError(403, `Access denied to device: ${deviceId}`);
  }
  if (!device.online) throw new SyscallError(503, `Device offline: ${deviceId}`, { retryable: true });
  if (!covers(device.implements, call))
    throw new SyscallError(400, `Device ${deviceId} does not implement ${call}`);
  if (!view.connected(deviceId)) {
    throw new SyscallError(503, `No active connection to device: ${deviceId}`, { retryable: true });
  }
}

/** The session that a result of `shell.exec` on a device opened, if it did. */
export function openedSession(call: SyscallName, result: unknown): string | undefined {
  if (call !== 'shell.exec' || typeof result !== 'object' || result === null) return undefined;
  const { status, sessionId } = result as { status?: unknown; sessionId?: unknown };
  return status === 'running' && typeof sessionId === 'string' ? sessionId : undefined;
}
