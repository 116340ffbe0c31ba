/** The time zone of this browser. */
export const ownTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
