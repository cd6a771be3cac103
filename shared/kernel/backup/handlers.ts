import { SyscallError } from '../../protocol/errors.ts';
import { FIRST_UID, ROOT_UID } from '../auth/accounts.ts';
import type { Handlers } from '../handler.ts';
import { Export, type ExportParts, streamFrom } from './export.ts';
import type { Founding } from './founding.ts';
import { type ImportParts, importGsv } from './import.ts';

export type BackupParts = ExportParts & ImportParts & { founding: Founding };

/** `sys.export`, for the owner and root, since it passes over what files permit; `sys.import`, for an empty GSV. */
export function backupHandlers(parts: BackupParts): Handlers<'sys.export' | 'sys.import'> {
  return {
    'sys.export': async (_args, { caller, sendBytes }) => {
      const { uid } = caller.identity;
      if (uid !== ROOT_UID && uid !== FIRST_UID)
        throw new SyscallError(403, 'Only the owner of this GSV may take all of it away');
      const file = new Export(parts);
      sendBytes(streamFrom(file.bytes()));
      return { name: file.name };
    },
    'sys.import': async (args, { stream, signal }) => {
      if (!stream) throw new SyscallError(400, 'The file is sent as bytes beside the call');
      return parts.founding.run(() => importGsv(parts, args, stream, signal));
    },
  };
}
