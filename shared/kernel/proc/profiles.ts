import type { Result } from '../../syscalls/table.ts';

export type ProfileInfo = Result<'proc.profile.list'>['profiles'][number];

function system(
  id: string,
  displayName: string,
  description: string,
  kind: 'interactive' | 'background',
): ProfileInfo {
  return {
    id,
    kind: 'system',
    displayName,
    description,
    interactive: kind === 'interactive',
    startable: id !== 'init' && id !== 'mcp' && id !== 'app',
    background: kind === 'background',
    spawnMode: id === 'init' ? 'singleton' : 'new',
  };
}

/** The system's profiles (FACTS, "Which reading wins"). `cron`, `mcp` and `app` cannot ask a person. */
export const systemProfiles: ProfileInfo[] = [
  system('init', 'Home', 'Your first and lasting conversation.', 'interactive'),
  system('task', 'Task', 'One piece of work, on its own.', 'interactive'),
  system('review', 'Review', 'Reads and judges work without changing it.', 'interactive'),
  system('cron', 'Scheduled', 'Work that a schedule starts.', 'background'),
  system('mcp', 'Integration', 'Serves an integration.', 'background'),
  system('app', 'App', 'Serves an installed app.', 'background'),
];

/** Undefined when there is no such profile. */
export function findProfile(id: string): ProfileInfo | undefined {
  return systemProfiles.find((profile) => profile.id === id);
}
