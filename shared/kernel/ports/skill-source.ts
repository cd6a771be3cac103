export type SkillFiles = { name: string; files: { path: string; text: string }[] };

/** The skills that GSV ships, for new homes. May be slow; rejects when they cannot be had (no network, first start). */
export type SkillSource = () => Promise<SkillFiles[]>;
