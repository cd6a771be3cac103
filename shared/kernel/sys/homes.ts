import type { UserRow } from '../../state/control.ts';
import { homeContext } from '../agent/seed/home-context.ts';
import { ROOT_UID } from '../auth/accounts.ts';
import { ROOT } from '../fs/credentials.ts';
import type { FileSystem } from '../fs/file-system.ts';
import type { SkillSource } from '../ports/skill-source.ts';

/** Its owner's alone: everybody is in the group of users. */
const HOME_MODE = 0o700;
/** What homes had before, open to the group. */
const FORMER_MODE = 0o750;
const encoder = new TextEncoder();

/** Homes and what stands in a new one. Files that are there stay as they are. */
export class Homes {
  readonly #fs: FileSystem;
  readonly #skills: SkillSource;

  constructor(fs: FileSystem, skills: SkillSource) {
    this.#fs = fs;
    this.#skills = skills;
  }

  /** Makes a home with its context files; the shipped skills follow when they can be had. */
  async make(user: UserRow): Promise<void> {
    await this.#fs.mkdir(user.home, ROOT, { recursive: true });
    await this.#fs.chown(user.home, user, ROOT);
    await this.#fs.chmod(user.home, HOME_MODE, ROOT);
    for (const { path, text } of homeContext) await this.#writeMissing(user, path, text);
    this.refresh([user]);
  }

  /**
   * Closes homes of an older version, and adds shipped skills that a home does not have yet, in the background; without
   * network, at a later start.
   */
  refresh(users: UserRow[]): void {
    for (const user of users) {
      if (user.uid === ROOT_UID) continue;
      void this.#close(user).catch(() => {});
      void this.#addSkills(user).catch(() => {});
    }
  }

  /** A mode that its owner has chosen stays. */
  async #close({ home }: UserRow): Promise<void> {
    const { mode } = await this.#fs.stat(home, ROOT);
    if (mode === FORMER_MODE) await this.#fs.chmod(home, HOME_MODE, ROOT);
  }

  async #addSkills(user: UserRow): Promise<void> {
    for (const { name, files } of await this.#skills()) {
      if (await this.#fs.exists(`${user.home}/skills.d/${name}`, ROOT)) continue;
      for (const { path, text } of files) await this.#writeMissing(user, `skills.d/${name}/${path}`, text);
    }
    await this.#fs.durable();
  }

  async #writeMissing(user: UserRow, relative: string, text: string): Promise<void> {
    const path = `${user.home}/${relative}`;
    const caller = { ...user, cwd: user.home, onEveryReplica: true };
    if (await this.#fs.exists(path, caller)) return;
    await this.#fs.mkdir(path.slice(0, path.lastIndexOf('/')), caller, { recursive: true });
    await this.#fs.writeFile(path, encoder.encode(text), caller);
  }
}
