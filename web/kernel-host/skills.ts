import type { SkillFiles, SkillSource } from '../../shared/kernel/ports/skill-source.ts';

/** The skills that were built with this page. */
export function shippedSkills(origin: string): SkillSource {
  return async () => {
    const response = await fetch(new URL('/skills.json', origin));
    if (!response.ok) throw new Error(`skills.json: ${response.status}`);
    return (await response.json()) as SkillFiles[];
  };
}
