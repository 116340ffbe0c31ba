import { daysOf } from './period.ts';
import type { Usage } from './queries.ts';
import { triggerNames } from './words.ts';

/* What the figures of usage come to: a forecast, a chart and a file. */

/** How long the minutes last at the pace of a period. */
export interface Forecast {
  /** Minutes used on each day, from the first day with any on. */
  perDay: number;
  /** Days that what is left lasts, rounded down. */
  days: number;
}

/** The forecast of a usage; null where nothing was used. */
export function forecastOf({ byDay, minutesUsed, minutesRemaining }: Usage): Forecast | null {
  const first = byDay.find(({ minutes }) => minutes > 0);
  const last = byDay.at(-1);
  if (!first || !last || minutesUsed <= 0) return null;
  const perDay = minutesUsed / daysOf({ from: first.day, to: last.day });
  return { perDay, days: Math.floor(Math.max(0, minutesRemaining) / perDay) };
}

/** The end of the scale of a chart: the least of 1, 2, 5, 10, 20, 50 … that is not below the largest value. */
export function scaleOf(values: readonly number[]): number {
  const max = Math.max(0, ...values);
  for (let power = 1; ; power *= 10) {
    const end = [1, 2, 5].map((step) => step * power).find((each) => each >= max);
    if (end !== undefined) return end;
  }
}

/**
 * A text as a cell of a CSV file (RFC 4180). One that a spreadsheet would read as a formula begins with an apostrophe.
 */
function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** All figures of a usage as CSV: by day, by agent and by what started the work. Minutes are those of the service. */
export function csvOf({ byDay, byAgent, byTrigger }: Usage): string {
  const rows: (string | number)[][] = [
    ['group', 'name', 'minutes', 'turns'],
    ...byDay.map(({ day, minutes, turns }) => ['day', day, minutes, turns]),
    ...byAgent.map(({ name, minutes, turns }) => ['agent', name, minutes, turns]),
    ...byTrigger.map(({ trigger, minutes, turns }) => ['started by', triggerNames[trigger], minutes, turns]),
  ];
  return `${rows.map((row) => row.map(cellOf).join(',')).join('\r\n')}\r\n`;
}
