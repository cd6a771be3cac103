import { parseOptions } from './options.ts';
import type { Program } from './program.ts';
import { userOptions, withUserSession } from './user-session.ts';

/** `gsv devices`: one line for each device, the offline ones included. Resolves with the exit code. */
export async function devices(args: string[], program: Program): Promise<number> {
  const parsed = parseOptions(args, userOptions);
  const { devices: found } = await withUserSession(parsed, program, (session) =>
    session.call('sys.device.list', { includeOffline: true }, program.stopped),
  );
  const width = Math.max(0, ...found.map(({ deviceId }) => deviceId.length));
  for (const { deviceId, online, platform, description } of found) {
    const state = online ? 'online ' : 'offline';
    program.output.write(
      `${deviceId.padEnd(width)}  ${state}  ${platform}  ${description}`.trimEnd().concat('\n'),
    );
  }
  return 0;
}
