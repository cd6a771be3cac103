import { dial } from '../../driver/link/dial.ts'; import { systemClock } from '../../driver/host/system.ts';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPath } from '../../driver/host/read-path.ts';
import { decodeFrame } from '../../shared/protocol/frames.ts';
import { checkArgs, checkResult } from '../../shared/syscalls/gate.ts';
import { claimRoom, tokens } from '../support/claimed-room.ts';
import { startDriver } from '../support/driver.ts';
import { DriverRoom } from '../support/driver-room.ts';
import { startServer } from '../support/server.ts';
import { median } from './row.ts';
import { distDir } from './site.ts';

async function mid(n: string, call: () => Promise<unknown> | unknown, times = 1000) {
  for (let r = 0; r < 3; r++) {
    const t: number[] = [];
    for (let i = 0; i < times; i++) {
      const s = performance.now();
      await call();
      t.push(performance.now() - s);
    }
    if (r === 2) console.log(n, (median(t) * 1000).toFixed(1), 'us');
  }
}
export async function main() {
  const work = mkdtempSync('/tmp/bx/w-');
  writeFileSync(join(work, 'notes.txt'), 'alpha\nbeta\n');
  const data = { ok: true, path: 'notes.txt', content: '     1\talpha\n     2\tbeta\n', lines: 2, size: 11 };
  await mid('readPath', () => readPath(join(work, 'notes.txt'), {}));
  await mid('checkArgs fs.read', () => checkArgs('fs.read', { target: 'laptop', path: 'notes.txt' }));
  await mid('checkResult fs.read', () => checkResult('fs.read', data));
  const f = JSON.stringify({ type: 'res', id: 'c1', ok: true, data });
  const q = JSON.stringify({
    type: 'req',
    id: 'c1',
    call: 'fs.read',
    ttl: 60000,
    args: { target: 'laptop', path: 'notes.txt' },
  });
  await mid('decode res', () => decodeFrame(f));
  await mid('decode req', () => decodeFrame(q));
  const dr = await DriverRoom.start();
  const d1 = await startDriver({
    url: dr.url,
    token: tokens.laptop,
    id: 'laptop',
    workspace: work,
    stateDir: mkdtempSync('/tmp/bx/s-'),
  });
  await d1.waitConnected();
  await mid('driver direct', () => dr.driver.call('fs.read', { path: 'notes.txt' }));
  await d1.stop();
  await dr.close();
  const server = await startServer({ distDir });
  const room = await claimRoom(server);
   const nop = { call: () => Promise.reject(new Error('no')), signal: () => {}, closed: () => {} } as any; const alice = (await dial(server.socketUrl, { client: { id: 'b', role: 'user' }, auth: { username: 'alice', token: tokens.alice } } as any, systemClock, nop)).peer;
  await dial(server.socketUrl, { client: { id: 'laptop', role: 'driver' }, driver: { implements: ['fs.*', 'shell.exec'] }, auth: { username: 'alice', token: tokens.laptop } } as any, systemClock, { ...nop, call: async () => ({ data }) });
  await mid('room with instant driver', () => alice.call('fs.read', { target: 'laptop', path: 'notes.txt' }));
  await mid('room only (device.list)', () => alice.call('sys.device.get', { deviceId: 'laptop' }));
  await server.stop();
  process.exit(0);
}
