/** Kinds of actions whose target is a schedule: it is shown, or run now. */
export const SHOW_SCHEDULE = 'schedule.show';
export const RUN_SCHEDULE = 'schedule.run';

/** What a notification is about stands at the beginning of its id. */
export const APPROVAL_NOTICE = 'approval:';
export const RUN_NOTICE = 'run:';
