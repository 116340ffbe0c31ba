import { invalid } from '../errors.ts';
import { shown } from '../field-errors.ts';
import { lastInstant } from './calendar.ts';

export const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
export const frequencies = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY'] as const;
export type Frequency = (typeof frequencies)[number];

/** A weekday, 0 = Monday. `nth` 0: every one of them; else the nth of the month or year, from its end when negative. */
export interface ByDay {
  nth: number;
  weekday: number;
}

/** The end of a rule, inclusive: an instant, or a wall time of its zone (as `wallClockAt` returns it). */
export type Until = { instant: number } | { wall: number };

/** A rule of RFC 5545 §3.3.10. An empty list is a part that was not given. */
export interface Rule {
  frequency: Frequency;
  interval: number;
  count: number | null;
  until: Until | null;
  months: number[];
  weekNumbers: number[];
  yearDays: number[];
  monthDays: number[];
  days: ByDay[];
  hours: number[];
  minutes: number[];
  seconds: number[];
  positions: number[];
  weekStart: number;
}

/** Characters of a rule. */
const maxLength = 500;
const maxNumbers = { INTERVAL: 1000, COUNT: 10_000 };
const partNames = `FREQ, INTERVAL, COUNT, UNTIL, BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYDAY, BYHOUR, BYMINUTE, BYSECOND, BYSETPOS, WKST`;
const names = new Set(partNames.split(', '));

class Parts {
  readonly #parts: Map<string, string>;
  readonly #param: string;

  constructor(text: string, param: string) {
    this.#param = param;
    this.#parts = new Map();
    for (const part of text.split(';')) {
      const [name = '', value = '', more] = part.split('=');
      if (value === '' || more !== undefined) {
        throw this.fault(`“${shown(part)}” is not a part of a rule. Write NAME=VALUE, with ; between the parts.`);
      }
      if (!names.has(name)) throw this.fault(`“${shown(name)}” is not a part of a rule. There are: ${partNames}.`);
      if (this.#parts.has(name)) throw this.fault(`${name} is given twice. Give it once, its values with commas.`);
      this.#parts.set(name, value);
    }
  }

  fault(message: string) {
    return invalid(this.#param, message);
  }

  has(name: string): boolean {
    return this.#parts.has(name);
  }

  text(name: string): string | undefined {
    return this.#parts.get(name);
  }

  /** Whole numbers from `low` to `high`, ascending, each once; with `signed` their negatives too, and never 0. */
  numbers(name: string, low: number, high: number, signed = false): number[] {
    const numbers = (this.text(name)?.split(',') ?? []).map((text) => {
      const number = /^[+-]?\d{1,5}$/.test(text) && (signed || !/^[+-]/.test(text)) ? Number(text) : Number.NaN;
      const size = signed ? Math.abs(number) : number;
      if (size >= low && size <= high) return number;
      const range = signed ? `${low} to ${high} or -${high} to -${low}` : `${low} to ${high}`;
      throw this.fault(`${name}: “${shown(text)}” is out of range. It takes whole numbers from ${range}.`);
    });
    return [...new Set(numbers)].sort((a, b) => a - b);
  }

  number(name: keyof typeof maxNumbers): number | undefined {
    if (this.text(name)?.includes(',')) throw this.fault(`${name} takes one number.`);
    return this.numbers(name, 1, maxNumbers[name])[0];
  }
}

function daysOf(parts: Parts): ByDay[] {
  return (parts.text('BYDAY')?.split(',') ?? []).map((text) => {
    const [, nth, name] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(text) ?? [];
    const weekday = weekdays.indexOf(name as (typeof weekdays)[number]);
    const place = nth === undefined ? 0 : Number(nth);
    if (weekday >= 0 && Math.abs(place) <= 53 && (nth === undefined || place !== 0)) return { nth: place, weekday };
    throw parts.fault(`BYDAY: “${shown(text)}” is no weekday. Write MO, TU, WE, TH, FR, SA or SU; 1MO is the first.`);
  });
}

function untilOf(parts: Parts): Until | null {
  const text = parts.text('UNTIL');
  if (text === undefined) return null;
  const [, y, mo, d, time, h = '23', mi = '59', s = '59', zulu] =
    /^(\d{4})(\d\d)(\d\d)(T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(text) ?? [];
  const written = `${y}-${mo}-${d}T${h}:${mi}:${s}`;
  const at = Date.parse(`${written}.000Z`);
  if (y === undefined || Number.isNaN(at) || !new Date(at).toISOString().startsWith(written)) {
    throw parts.fault(
      `UNTIL: “${shown(text)}” is not a time. Write 20261231, or 20261231T220000Z for an instant in UTC.`,
    );
  }
  return time !== undefined && zulu === 'Z' ? { instant: at } : { wall: at };
}

/** Checks the parts of a rule against each other (RFC 5545 §3.3.10). @throws Failure 400. */
function requireConsistent(parts: Parts, { frequency, days, weekNumbers }: Rule): void {
  const only = (name: string, ...allowed: Frequency[]) => {
    if (!parts.has(name) || allowed.includes(frequency)) return;
    throw parts.fault(`${name} does not go with FREQ=${frequency}, only with ${allowed.join(' or ')}.`);
  };
  if (parts.has('COUNT') && parts.has('UNTIL')) throw parts.fault('Give COUNT or UNTIL, not both.');
  only('BYWEEKNO', 'YEARLY');
  only('BYYEARDAY', 'YEARLY', 'HOURLY');
  only('BYMONTHDAY', 'YEARLY', 'MONTHLY', 'DAILY', 'HOURLY');
  const widest = Math.max(0, ...days.map(({ nth }) => Math.abs(nth)));
  const numbered = frequency === 'MONTHLY' || (frequency === 'YEARLY' && weekNumbers.length === 0);
  if (widest > 0 && !numbered) {
    throw parts.fault('BYDAY takes a number, as in 1MO, only with FREQ=MONTHLY, or FREQ=YEARLY without BYWEEKNO.');
  }
  const monthly = frequency === 'MONTHLY' || parts.has('BYMONTH');
  if (monthly && widest > 5) throw parts.fault(`BYDAY: a month has no ${widest} of a weekday. Use 1 to 5 or -5 to -1.`);
  const selects = [...names].some((name) => name.startsWith('BY') && name !== 'BYSETPOS' && parts.has(name));
  if (parts.has('BYSETPOS') && !selects) throw parts.fault('BYSETPOS needs another BY… part to choose from.');
}

/** The text of a rule as it is stored: without its prefix, in capitals. @throws Failure 400 that names `param`. */
export function tidyRule(text: string, param: string): string {
  const trimmed = text.trim();
  if (/[\r\n]/.test(trimmed) || /^(DTSTART|DTEND|EXDATE|RDATE|EXRULE)\b/i.test(trimmed)) {
    throw invalid(
      param,
      'Give one RRULE without other lines. Put its start into startAt and its time zone into timezone.',
    );
  }
  if (trimmed.length > maxLength)
    throw invalid(param, `A rule may be at most ${maxLength} characters long. Shorten it.`);
  return trimmed.replace(/^RRULE:/i, '').toUpperCase();
}

/** Parses a rule strictly. @throws Failure 400 naming `param` for unknown, repeated or out-of-range parts. */
export function parseRule(text: string, param = 'rrule'): Rule {
  const parts = new Parts(tidyRule(text, param), param);
  const frequency = parts.text('FREQ');
  if (frequency === undefined) throw parts.fault('The rule has no FREQ. Begin it with FREQ=DAILY, for example.');
  if (!frequencies.includes(frequency as Frequency)) {
    const known = frequencies.join(', ');
    const dense = ['MINUTELY', 'SECONDLY'].includes(frequency);
    throw parts.fault(
      dense
        ? `FREQ=${frequency} is too often: times must be at least 15 minutes apart. Use FREQ=HOURLY with BYMINUTE.`
        : `FREQ: “${shown(frequency)}” is unknown. There are: ${known}.`,
    );
  }
  const weekStart = weekdays.indexOf((parts.text('WKST') ?? 'MO') as (typeof weekdays)[number]);
  if (weekStart < 0) throw parts.fault('WKST takes one weekday: MO, TU, WE, TH, FR, SA or SU.');
  const rule: Rule = {
    frequency: frequency as Frequency,
    interval: parts.number('INTERVAL') ?? 1,
    count: parts.number('COUNT') ?? null,
    until: untilOf(parts),
    months: parts.numbers('BYMONTH', 1, 12),
    weekNumbers: parts.numbers('BYWEEKNO', 1, 53, true),
    yearDays: parts.numbers('BYYEARDAY', 1, 366, true),
    monthDays: parts.numbers('BYMONTHDAY', 1, 31, true),
    days: daysOf(parts),
    hours: parts.numbers('BYHOUR', 0, 23),
    minutes: parts.numbers('BYMINUTE', 0, 59),
    seconds: parts.numbers('BYSECOND', 0, 59),
    positions: parts.numbers('BYSETPOS', 1, 366, true),
    weekStart,
  };
  requireConsistent(parts, rule);
  return rule;
}

/** The UNTIL of a rule that ends with the instant `at`, or with the last one that can be written. */
export function untilText(at: number): string {
  return new Date(Math.floor(Math.min(at, lastInstant) / 1000) * 1000).toISOString().replace(/[-:]|\.\d+/g, '');
}
