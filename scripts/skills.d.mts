export function packSkills(file: string): void;
