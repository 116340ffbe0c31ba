import type { Usage } from './queries.ts';

/* Figures of usage in words. */

type Trigger = Usage['byTrigger'][number]['trigger'];

/** What started work. */
export const triggerNames: Record<Trigger, string> = {
  chat: 'Chat',
  manual: 'Started by a person',
  create: 'Started with its todo',
  assignment: 'Assignment',
  schedule: 'Schedule',
  capture: 'Captures',
};

/** Agent minutes, to a tenth: “12.3”. */
export function figure(minutes: number): string {
  return minutes.toLocaleString('en', { maximumFractionDigits: 1 });
}

/** Agent minutes in words: “12.3 minutes”. */
export function minutesInWords(minutes: number): string {
  return minutes === 1 ? '1 minute' : `${figure(minutes)} minutes`;
}

/** A day in words: “Nov 23, 2026”. */
export function dayInWords(day: string): string {
  return new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(`${day}T00:00:00Z`));
}
