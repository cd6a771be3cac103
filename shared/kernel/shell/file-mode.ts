type Who = 'u' | 'g' | 'o';

const OCTAL = /^[0-7]{1,4}$/;
const CLAUSE = /^([ugoa]*)([-+=])([rwxXst]*)$/;
const shifts: Record<Who, number> = { u: 6, g: 3, o: 0 };
const SPECIAL: Record<Who, number> = { u: 0o4000, g: 0o2000, o: 0 };
const STICKY = 0o1000;

/** The mode that `644`, `u+x` or `go-w,a=r` makes of a mode; undefined when it is no such thing. */
export function changedMode(spec: string, mode: number, isDirectory: boolean): number | undefined {
  if (OCTAL.test(spec)) return Number.parseInt(spec, 8);
  let changed: number | undefined = mode & 0o7777;
  for (const clause of spec.split(',')) {
    changed = changed === undefined ? undefined : applyClause(clause, changed, isDirectory);
  }
  return changed;
}

function applyClause(clause: string, mode: number, isDirectory: boolean): number | undefined {
  const [, letters = '', operator, permissions = ''] = CLAUSE.exec(clause) ?? [];
  if (operator === undefined) return undefined;
  const everyone = letters === '' || letters.includes('a');
  const classes = (Object.keys(shifts) as Who[]).filter((who) => everyone || letters.includes(who));
  const bits = permissionBits(permissions, classes, mode, isDirectory);
  if (operator === '+') return mode | bits;
  if (operator === '-') return mode & ~bits;
  const cleared = classes.reduce(
    (mask, who) => mask | (7 << shifts[who]) | SPECIAL[who],
    everyone ? STICKY : 0,
  );
  return (mode & ~cleared) | bits;
}

function permissionBits(permissions: string, classes: Who[], mode: number, isDirectory: boolean): number {
  const mayExecute = isDirectory || (mode & 0o111) !== 0;
  let access = 0;
  if (permissions.includes('r')) access |= 4;
  if (permissions.includes('w')) access |= 2;
  if (permissions.includes('x') || (permissions.includes('X') && mayExecute)) access |= 1;
  let bits = permissions.includes('t') ? STICKY : 0;
  for (const who of classes) bits |= (access << shifts[who]) | (permissions.includes('s') ? SPECIAL[who] : 0);
  return bits;
}
