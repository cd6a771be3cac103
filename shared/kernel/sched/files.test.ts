import { describe, expect, test } from 'vitest';
import { every, HOUR, INIT, SchedWorld, shell, tell } from '../../../tests/support/sched-world.ts';
import { parseCrontab } from './crontab.ts';
import { asksNothing } from './nothing-to-do.ts';
import { parseSpan, spanText } from './span.ts';
import { atWallClock, wallClock } from './wall-clock.ts';
import { whenInWords } from './words.ts';

const run = async (world: SchedWorld, input: string): Promise<string> => {
  const read = await world.page.call('shell.exec', { input });
  return 'output' in read ? read.output : read.error;
};
const FILE = '/var/spool/cron/ada';

describe('a crontab', () => {
  test('[K161] is the same schedules: lines that stay keep theirs, others come and go', async () => {
    const world = await SchedWorld.start();
    const other = await world.add({ name: 'Stretch', expression: every(HOUR) });
    expect(await run(world, 'crontab -r; crontab -l')).toContain(`#: Stretch (sched show ${other.id})`);
    const text = `# say hello
0 9 * * 1-5 echo hello
CRON_TZ=Europe/Berlin
@daily echo "a  b" > ~/daily
#off 30 2 * * * echo off
`;
    await run(world, `cat > ~/tab <<'END'\n${text}END\ncrontab ~/tab`);
    const { schedules } = await world.page.call('sched.list', {});
    const command = (input: string) =>
      schedules.find(({ target }) => target.kind === 'shell.exec' && target.input === input);
    expect(command('echo hello')).toMatchObject({
      description: 'say hello',
      expression: { expr: '0 9 * * 1-5', timezone: 'UTC' },
      author: { kind: 'person' },
    });
    expect(command('echo "a  b" > ~/daily')?.expression).toMatchObject({
      expr: '0 0 * * *',
      timezone: 'Europe/Berlin',
    });
    expect(command('echo off')).toMatchObject({ enabled: false, state: { nextRunAtMs: null } });
    const listed = await run(world, 'crontab -l');
    expect(listed).toContain('# say hello\n0 9 * * 1-5 echo hello\n');
    expect(listed).toContain('CRON_TZ=Europe/Berlin\n');
    const hello = command('echo hello')?.id;
    await run(world, 'crontab -l | grep -v daily | crontab -');
    const after = (await world.page.call('sched.list', {})).schedules;
    expect(after.map(({ id }) => id)).toContain(hello);
    expect(after.map(({ id }) => id)).toContain(other.id);
    expect(after).toHaveLength(3);
    await run(world, `crontab -r`);
    expect((await world.page.call('sched.list', {})).count).toBe(1);
  });

  test('[K161] is a file that its owner alone reads and writes', async () => {
    const world = await SchedWorld.start();
    expect(await run(world, `echo '*/5 * * * * date' > ${FILE}; cat ${FILE}; stat -c %a ${FILE}`)).toBe(
      '*/5 * * * * date\n600\n',
    );
    expect(await run(world, `echo '0 0 1 1 * true' >> ${FILE}; wc -l < ${FILE}`)).toContain('2');
    expect(await run(world, `echo '* * * * * true' > /var/spool/cron/root`)).toContain('ermission denied');
    const bo = await world.kernel.addAccount({ uid: 1001, username: 'bo', gids: [100] });
    await world.restart();
    const page = await world.kernel.signedIn(bo);
    const read = await page.call('shell.exec', {
      input: `ls /var/spool/cron /var/log/gsv/scheduler; cat ${FILE}`,
    });
    expect('output' in read && read.output).not.toContain('*/5');
  });

  test('[K161] that cannot be read changes nothing and names its first bad line', async () => {
    const world = await SchedWorld.start();
    await run(world, `echo '@hourly date' > ${FILE}`);
    const wrong = await run(world, `printf '0 0 1 1 * true\\n0 0 30 2 * false\\n' | crontab -`);
    expect(wrong).toContain('line 2: There is no such day');
    expect(await run(world, 'crontab -l')).toBe('0 * * * * date\n');
    expect(await run(world, `echo 'PATH=/bin' | crontab -`)).toContain('line 1: PATH cannot be set here');
    expect(await run(world, 'crontab -e')).toContain('no editor');
    expect(parseCrontab('* * * * *', 'UTC', () => null)).toMatchObject({ line: 1 });
  });
});

describe('the shell', () => {
  test('[K163] makes, shows, switches, runs and removes schedules', async () => {
    const world = await SchedWorld.start();
    const made = await run(world, `sched add --name Tea --in 20m --tell 'drink tea'`);
    const id = made.slice(0, 8);
    expect(made).toMatch(/^[0-9a-f-]{36} next 2026-01-01T08:20:/);
    expect(await run(world, 'sched list')).toContain(`${id}  2026-01-01T08:20`);
    expect(await run(world, `sched show ${id}`)).toContain('once, after 20 minutes');
    await run(world, `sched off ${id}`);
    expect(await run(world, 'sched')).toContain(`${id}  off`);
    await run(
      world,
      `sched on ${id}; sched add --cron '0 9 * * 1-5' --tz Europe/Berlin --skip-missed -- sh -c 'echo "a  b"'`,
    );
    const { schedules } = await world.page.call('sched.list', {});
    const cron = schedules.find(({ expression }) => expression.kind === 'cron');
    expect(cron).toMatchObject({ misfirePolicy: 'skip', target: { input: `sh -c 'echo "a  b"'` } });
    expect(await run(world, `sched run ${cron?.id}; sched log ${cron?.id}`)).toMatch(
      /^ok a {2}b\n.* ok +person +a {2}b/,
    );
    expect(await run(world, `sched rm ${id}; sched show ${id}`)).toContain(`no schedule ${id}`);
    expect(await run(world, 'sched add --every soon --tell a')).toContain('no such span: soon');
    expect(await run(world, `sched add --cron '0 0 30 2 *' --tell a`)).toContain('never fires');
    expect(await run(world, 'man sched')).toContain('sched add');
  });

  test('[K162] what ran stands in a log that its owner reads', async () => {
    const world = await SchedWorld.start();
    const made = await world.add({ name: 'Two lines', target: shell('echo a; echo b; exit 1') });
    await world.clock.advance(HOUR);
    await world.ran(made.id, 1);
    expect(await run(world, 'cat /var/log/gsv/scheduler/ada')).toMatch(
      new RegExp(
        `^2026-01-01T09:00:\\S+Z error due \\d+\\.\\ds ${made.id} "Two lines" It ended with code 1 \\| a \\| b\n$`,
      ),
    );
  });
});

describe('a heartbeat', () => {
  test('[P265] costs no tokens while its file is missing, empty, or has headings and comments alone', async () => {
    const world = await SchedWorld.start();
    const target = {
      kind: 'process.event',
      pid: INIT,
      message: 'See to it.',
      unlessEmpty: '~/HEARTBEAT.md',
    } as const;
    const made = await world.add({ name: 'Heartbeat', target });
    for (const [index, text] of ['', '# Heartbeat\n\n<!-- nothing\nyet -->\n- [ ]\n'].entries()) {
      await world.clock.advance(HOUR);
      await world.ran(made.id, index + 1);
      await world.page.call('fs.write', { path: '~/HEARTBEAT.md', content: text });
    }
    await world.clock.advance(HOUR);
    await world.ran(made.id, 3);
    expect(await world.runs(made.id)).toEqual(Array(3).fill('due skipped ~/HEARTBEAT.md asks for nothing'));
    expect(world.kernel.models.requests).toHaveLength(0);
    await world.page.call('fs.write', { path: '~/HEARTBEAT.md', content: '# Heartbeat\nWater the plants.' });
    await world.clock.advance(HOUR);
    await world.ran(made.id, 4);
    expect(await world.told()).toEqual([expect.stringMatching(/See to it\.[\s\S]*Water the plants\./)]);
    expect(world.kernel.models.requests.length).toBeGreaterThan(0);
  });

  test('[P265] what asks for nothing is told from what asks for something', () => {
    const nothing = ['', '\n\n', '# A\n## B', '- \n* [ ]\n1.', '---', '<!-- a\nb', '```md\n```', '// later'];
    const something = ['- call Bo', 'x', '- [ ] water', '# A\nx', '<!-- a --> b'];
    expect(nothing.filter((text) => !asksNothing(text))).toEqual([]);
    expect(something.filter(asksNothing)).toEqual([]);
  });
});

describe('schedules of others', () => {
  test('[K160] are neither seen nor changed, but by root', async () => {
    const world = await SchedWorld.start();
    const made = await world.add({ target: tell('a') });
    const bo = await world.kernel.addAccount({ uid: 1001, username: 'bo', gids: [100] });
    const root = await world.kernel.addAccount({ uid: 0, username: 'root', gids: [0] });
    await world.restart();
    const page = await world.kernel.signedIn(bo);
    expect(await page.call('sched.list', {})).toEqual({ schedules: [], count: 0 });
    await expect(page.call('sched.list', { ownerUid: 1000 })).rejects.toThrow('Permission denied');
    await expect(page.call('sched.run', { id: made.id, mode: 'force' })).rejects.toThrow(
      'Schedule not found',
    );
    await expect(page.call('sched.update', { id: made.id, patch: { enabled: false } })).rejects.toThrow(
      'not found',
    );
    expect(await page.call('sched.remove', { id: made.id })).toEqual({ removed: false });
    const mine = await world.page.call('view.open', { view: 'schedules' });
    const theirs = await page.call('view.open', { view: 'schedules' });
    expect([mine.rows.map(({ key }) => key), theirs.rows]).toEqual([[made.id], []]);
    const over = await world.kernel.signedIn(root);
    expect(await over.call('sched.list', { ownerUid: 1000, limit: 1 })).toMatchObject({ count: 1 });
    expect(await over.call('sched.list', { ownerUid: 1001 })).toMatchObject({ count: 0 });
  });
});

describe('times in words', () => {
  test('[K163] spans and wall clocks are read as they are written', () => {
    expect(['90s', '15m', '1h30m', '2d', '', 'x', '5'].map(parseSpan)).toEqual([
      90_000,
      900_000,
      5_400_000,
      172_800_000,
      null,
      null,
      null,
    ]);
    expect(spanText(5_400_000)).toBe('1h30m');
    const noon = Date.UTC(2026, 6, 1, 10);
    expect([wallClock(noon, 'Europe/Berlin'), atWallClock('2026-07-01T12:00', 'Europe/Berlin')]).toEqual([
      '2026-07-01T12:00',
      noon,
    ]);
    const iso = (text: string) =>
      new Date(atWallClock(text, 'Europe/Berlin') ?? 0).toISOString().slice(0, 16);
    expect(iso('2026-10-25T02:30')).toBe('2026-10-25T00:30');
    expect(iso('2026-03-29T02:30')).toBe('2026-03-29T01:30');
    expect(atWallClock('2026-13-40T12:00', 'UTC')).toBeNull();
  });

  test.each([
    ['*/15 * * * *', 'every 15 minutes'],
    ['0 9 * * 1-5', 'on weekdays at 09:00'],
    ['30 8 * * *', 'every day at 08:30'],
    ['0 18 * * 0,5', 'on Sunday, Friday at 18:00'],
    ['0 7 1 * *', 'on day 1 of each month at 07:00'],
    ['5 * * * *', 'every hour, 5 past'],
    ['*/7 3 * 2 *', 'at */7 3 * 2 *'],
  ])('[K163] %s is "%s"', (expr, words) => {
    expect(whenInWords({ kind: 'cron', expr, timezone: 'UTC' }, 'UTC')).toBe(words);
  });
});
