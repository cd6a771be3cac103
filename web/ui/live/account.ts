export type NewAccount = {
  username: string;
  password: string;
  repeated: string;
  rootPassword: string;
  timezone: string;
};
export type AccountProblems = Partial<Record<keyof NewAccount, string>>;

const SHORTEST_PASSWORD = 8;

/** What has to be changed before an account can be made, by field. */
export function accountProblems(account: NewAccount): AccountProblems {
  const problems: AccountProblems = {};
  if (!/^[a-z_][a-z0-9_-]{0,31}$/.test(account.username)) {
    problems.username =
      'Lower-case letters, digits, dashes and underscores, beginning with a letter, at most 32.';
  } else if (account.username === 'root') {
    problems.username = '“root” is the administrator. Choose another name.';
  }
  Object.assign(problems, newPasswordProblems(account));
  if (account.rootPassword !== '' && account.rootPassword.length < SHORTEST_PASSWORD) {
    problems.rootPassword = `At least ${SHORTEST_PASSWORD} characters, or nothing.`;
  }
  return problems;
}

/** What is wrong with a password that was chosen, and typed again. */
export function newPasswordProblems({
  password,
  repeated,
}: Pick<NewAccount, 'password' | 'repeated'>): Pick<AccountProblems, 'password' | 'repeated'> {
  const weak = passwordProblem(password);
  return {
    ...(weak === null ? {} : { password: weak }),
    ...(repeated === password ? {} : { repeated: 'This is not the same password.' }),
  };
}

/** Null for one that will do. */
export function passwordProblem(password: string): string | null {
  return password.length < SHORTEST_PASSWORD ? `At least ${SHORTEST_PASSWORD} characters.` : null;
}

export function guessedTimezone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}
