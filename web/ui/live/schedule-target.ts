import type { ScheduleTarget } from '../../../shared/syscalls/sched.ts';

export type Does = 'tell' | 'spawn' | 'run' | 'care';
export type Care = Extract<ScheduleTarget, { kind: 'process.lifecycle' }>['action'];

/** What a schedule does, as the editor holds it. */
export type TargetForm = {
  does: Does;
  text: string;
  /** Who is told or looked after. */
  pid: string;
  /** Tell only when this file asks for something; empty is always. */
  onlyIf: string;
  /** Whether what is started may ask its person. */
  asks: 'nobody' | 'me';
  /** Where a command runs; empty is GSV itself. */
  target: string;
  /** The folder in which it runs; empty is the home. */
  cwd: string;
  care: Care;
};

export function newTarget(pid: string): TargetForm {
  return {
    does: 'tell',
    text: '',
    pid,
    onlyIf: '',
    asks: 'nobody',
    target: '',
    cwd: '',
    care: 'compact',
  };
}

/** The fields that say what a target does. */
export function fieldsOf(target: ScheduleTarget): Partial<TargetForm> {
  switch (target.kind) {
    case 'process.event':
      return { does: 'tell', text: target.message, pid: target.pid, onlyIf: target.unlessEmpty ?? '' };
    case 'process.spawn':
      return { does: 'spawn', text: target.prompt, asks: asksOf(target.profile) };
    case 'shell.exec':
      return { does: 'run', text: target.input, target: target.target ?? '', cwd: target.cwd ?? '' };
    case 'process.lifecycle':
      return { does: 'care', pid: target.pid, care: target.action };
  }
}

const asksOf = (profile: string | undefined): TargetForm['asks'] =>
  profile === undefined || profile === 'cron' ? 'nobody' : 'me';

/** The target that the form says; what it does not show of the one before stays. */
export function targetOf(form: TargetForm, before: ScheduleTarget | undefined): ScheduleTarget {
  const { does, text, pid } = form;
  const onlyIf = form.onlyIf.trim();
  const cwd = form.cwd.trim();
  if (does === 'tell') {
    const { unlessEmpty: _, ...kept } = before?.kind === 'process.event' ? before : {};
    const asked = onlyIf === '' ? {} : { unlessEmpty: onlyIf };
    return { ...kept, kind: 'process.event', pid, message: text, ...asked };
  }
  if (does === 'spawn') {
    const kept = before?.kind === 'process.spawn' ? before : {};
    const changed = asksOf(before?.kind === 'process.spawn' ? before.profile : undefined) !== form.asks;
    const profile = changed ? { profile: form.asks === 'me' ? 'task' : 'cron' } : {};
    return { ...kept, kind: 'process.spawn', prompt: text, ...profile };
  }
  if (does === 'care') {
    const kept = before?.kind === 'process.lifecycle' && before.action === form.care ? before : {};
    return { ...kept, kind: 'process.lifecycle', pid, action: form.care };
  }
  const { target: _, cwd: __, ...kept } = before?.kind === 'shell.exec' ? before : {};
  const where = form.target === '' ? {} : { target: form.target };
  return { ...kept, kind: 'shell.exec', input: text, ...where, ...(cwd === '' ? {} : { cwd }) };
}

/** What is missing, in words; null when nothing is. */
export function missingText({ does, text }: TargetForm): string | null {
  return does === 'care' || text.trim() !== '' ? null : emptyText[does];
}

const emptyText: Record<Exclude<Does, 'care'>, string> = {
  tell: 'Write what it should be told',
  spawn: 'Write what it should do',
  run: 'Write a command',
};

export const careNames: Record<Care, string> = {
  compact: 'Summarise its older messages',
  checkpoint: 'Save a checkpoint of it',
  reset: 'Archive it and begin anew',
};
