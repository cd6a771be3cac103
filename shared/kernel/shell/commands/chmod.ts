import { failed, misused, printed, type ShellCommand } from '../command.ts';
import { changedMode } from '../file-mode.ts';
import { eachFile, fromCwd } from '../walk-files.ts';

export const chmod: ShellCommand = {
  name: 'chmod',
  summary: 'change who may read, write and execute',
  usage: 'chmod [-R] MODE FILE...    MODE is octal (640) or symbolic (u+x,go-w)',
  async run(args, context) {
    const recursive = args[0] === '-R' || args[0] === '--recursive';
    const [mode, ...paths] = recursive ? args.slice(1) : args;
    if (mode === undefined || paths.length === 0) return misused(chmod);
    for (const path of paths) {
      for await (const file of eachFile(fromCwd(path, context), recursive, context)) {
        const before = await context.fs.stat(file, context.credentials);
        const changed = changedMode(mode, before.mode, before.kind === 'dir');
        if (changed === undefined) return failed('chmod', `invalid mode: '${mode}'`);
        await context.fs.chmod(file, changed, context.credentials);
      }
    }
    return printed('');
  },
};
