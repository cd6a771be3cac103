import { NATIVE_TARGET } from '../../routing.ts';
import { columns, printed, type ShellCommand } from '../command.ts';

export const targets: ShellCommand = {
  name: 'targets',
  summary: 'list where calls can run: gsv and devices',
  usage: 'targets',
  async run(_args, { syscalls, signal }) {
    const { devices } = await syscalls.call('sys.device.list', { includeOffline: true }, { signal });
    const rows = devices.map((device) => [
      device.deviceId,
      device.online ? 'online' : 'offline',
      device.platform,
      device.description || '-',
    ]);
    const native = [NATIVE_TARGET, 'online', 'gsv', 'the native filesystem and shell'];
    return printed(columns([['TARGET', 'STATE', 'PLATFORM', 'DESCRIPTION'], native, ...rows]));
  },
};
