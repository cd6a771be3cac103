/** Whether a process or conversation of this state has a run that has not ended. */
export const isActive = (state: string | undefined): boolean => state === 'running' || state === 'waiting';

/** Whether it has anything to do: a run, or a message that waits for one. */
export const isBusy = ({ state, queuedCount = 0 }: { state?: string; queuedCount?: number }): boolean =>
  isActive(state) || queuedCount > 0;
