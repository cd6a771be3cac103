import { loadWordTools } from '../../shared/kernel/seal/recovery-phrase.ts';
import { loadInterpreter } from '../../shared/kernel/shell/interpreter.ts';

// To load something takes real time, of which virtual time knows nothing.
await Promise.all([loadInterpreter(), loadWordTools()]);
