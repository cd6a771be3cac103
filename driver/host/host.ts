import type { Handlers, Invocation } from '../../shared/kernel/handler.ts';
import type { Args } from '../../shared/syscalls/table.ts';
import { deletePath, editPath, writePath } from './change-path.ts';
import { type Machine, resolvePath } from './machine.ts';
import { checkNamed } from './named-place.ts';
import { operation } from './operation.ts';
import { readPath } from './read-path.ts';
import { searchPath } from './search/search-path.ts';
import type { ShellCall, Shells } from './shell/shells.ts';
import { receiveFile, sendFile } from './transfer.ts';

/** The syscalls that a workstation answers. */
export const hostCalls = [
  'fs.read',
  'fs.write',
  'fs.edit',
  'fs.delete',
  'fs.search',
  'fs.transfer.read',
  'fs.transfer.write',
  'shell.exec',
] as const;
export type HostCall = (typeof hostCalls)[number];

/** What a handler here needs to know of its call: all of an invocation but its caller, and the time left. */
export type HostInvocation = Omit<Invocation, 'caller'> & ShellCall;
type HostHandlers = {
  [Name in HostCall]: (args: Args<Name>, call: HostInvocation) => ReturnType<Handlers[Name]>;
};

/** The handlers that act on this machine. Refusals of the system are results, never exceptions. */
export function hostHandlers(machine: Machine, shells: Shells): HostHandlers {
  const at = <Result>(path: string, run: (absolute: string) => Promise<Result>) =>
    operation(path, async () => run(await resolvePath(machine, path)));
  const changing = <Result>(named: string, run: (absolute: string) => Promise<Result>) =>
    at(named, async (path) => {
      await checkNamed(machine, named, path);
      return run(path);
    });
  return {
    'fs.read': (args) => at(args.path, (path) => readPath(path, args)),
    'fs.write': (args) => changing(args.path, (path) => writePath(path, args.content)),
    'fs.edit': (args) => changing(args.path, (path) => editPath(path, args)),
    'fs.delete': (args) => changing(args.path, (path) => deletePath(machine, path)),
    'fs.search': (args, call) => at(args.path ?? '.', (path) => searchPath(path, args, call.signal)),
    'fs.transfer.read': (args, call) =>
      at(args.path, (path) => sendFile(path, (stream) => call.sendBytes(stream))),
    'fs.transfer.write': (args, call) => changing(args.path, (path) => receiveFile(path, call.stream)),
    'shell.exec': ({ sessionId, input, cwd = '.' }, call) =>
      sessionId === undefined
        ? at(cwd, async () => shells.start(input, await resolveCwd(machine, cwd), call))
        : at(cwd, () => shells.resume({ sessionId, input }, call)),
  };
}

/** Where commands may start is not bounded: a command can go anywhere by itself. */
function resolveCwd(machine: Machine, cwd: string): Promise<string> {
  return resolvePath({ ...machine, allowedRoot: undefined }, cwd);
}
