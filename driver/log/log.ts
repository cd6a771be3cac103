/** What happened, in fields that never hold arguments, contents or secrets. */
export type LogEvent = {
  level: 'info' | 'warn' | 'error';
  event: string;
  call?: string;
  durationMs?: number;
  outcome?: string;
  detail?: string;
};

/** Takes events. Never throws. */
export type Log = (event: LogEvent) => void;

export const noLog: Log = () => {};
