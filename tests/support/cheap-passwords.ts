import type { PasswordCost } from '../../shared/kernel/auth/passwords.ts';

/** For kernels whose passwords are not what is tested. */
export const cheapPasswords: PasswordCost = { N: 2, r: 8, p: 1 };
