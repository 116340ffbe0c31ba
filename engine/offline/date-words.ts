import { addDays, addMonths, dateText, exists, firstOfMonth, lastOfMonth, mondayOf, weekdayOf } from './calendar.ts';

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const months = [
  ['january', 'jan'],
  ['february', 'feb'],
  ['march', 'mar'],
  ['april', 'apr'],
  ['may'],
  ['june', 'jun'],
  ['july', 'jul'],
  ['august', 'aug'],
  ['september', 'sept', 'sep'],
  ['october', 'oct'],
  ['november', 'nov'],
  ['december', 'dec'],
];
const smallNumbers = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

const weekday = weekdays.join('|');
/** Read as days only behind a word such as “by”: “sun” and “sat” mean other things too. */
export const weekdayShort = 'mon|tues?|wed|thu(?:rs?)?|fri|sat|sun';
const month = months.flat().join('|');
const amount = `(?:an?|${smallNumbers.slice(1).join('|')}|\\d{1,3})`;
const unit = '(?:day|week|month|year)s?';
const ordinal = '\\d{1,2}(?:st|nd|rd|th)?';

/** Ways to name one day, as the source of a regular expression without groups that capture. */
export const dayPattern = [
  'today|tonight|(?:the )?day after tomorrow|tomorrow(?: (?:morning|afternoon|evening|night))?|yesterday',
  'this (?:morning|afternoon|evening|weekend)|(?:the|next) weekend',
  `(?:(?:this|next|coming|last) )?(?:${weekday})(?: (?:morning|afternoon|evening|night))?`,
  `(?:this|next|coming) (?:${weekdayShort})`,
  '(?:the )?end of (?:the |this |next )?(?:week|month|year)|next (?:week|month|year)',
  `in ${amount} ${unit}(?: time)?|${amount} ${unit} from (?:now|today)|a week from (?:now|today)`,
  '\\d{4}-\\d{1,2}-\\d{1,2}|\\d{1,2}\\.\\d{1,2}\\.(?:\\d{4})?',
  `(?:the )?${ordinal}(?: of)? (?:${month})(?:,? \\d{4})?`,
  `(?:${month}) (?:the )?${ordinal}(?:,? \\d{4})?`,
  'the \\d{1,2}(?:st|nd|rd|th)',
].join('|');

/** Ways to name several days, likewise. */
export const spanPattern = `(?:this|next|the coming|last) (?:week|month)|(?:the )?(?:next|coming) ${amount} ${unit}|${amount} ${unit}`;

function amountOf(word: string): number {
  if (/^an?$/.test(word)) return 1;
  const small = smallNumbers.indexOf(word);
  return small >= 0 ? small : Number(word);
}

function later(date: string, count: number, unitName: string): string {
  if (unitName.startsWith('day')) return addDays(date, count);
  if (unitName.startsWith('week')) return addDays(date, count * 7);
  return addMonths(date, unitName.startsWith('month') ? count : count * 12);
}

/** The coming one of a weekday; on that day itself it is the one in a week, except as “this …”. */
function weekdayDate(which: string | undefined, name: string, today: string): string {
  const wanted = weekdays.findIndex((each) => each.startsWith(name.slice(0, 3)));
  if (which === 'next') return addDays(mondayOf(today), 7 + wanted);
  const ahead = (wanted - weekdayOf(today) + 7) % 7;
  if (which === 'last') return addDays(today, ahead - 7);
  return addDays(today, ahead === 0 && which !== 'this' ? 7 : ahead);
}

/** A day of a month; without a year the coming one. A day that does not exist is returned as written. */
function monthDate(monthName: string, dayOfMonth: string, year: string | undefined, today: string): string {
  const number = months.findIndex((names) => names.includes(monthName)) + 1;
  const thisYear = Number(today.slice(0, 4));
  const text = dateText(Number(year ?? thisYear), number, Number.parseInt(dayOfMonth, 10));
  if (year !== undefined || text >= today) return text;
  return dateText(thisYear + 1, number, Number.parseInt(dayOfMonth, 10));
}

/** The next day of that number, in this month or a later one that has it. */
function dayOfMonthDate(dayOfMonth: number, today: string): string {
  for (let ahead = 0; ahead < 12; ahead++) {
    const start = addMonths(firstOfMonth(today), ahead);
    const date = start.slice(0, 8) + String(dayOfMonth).padStart(2, '0');
    if (exists(date) && date >= today) return date;
  }
  return dateText(Number(today.slice(0, 4)), Number(today.slice(5, 7)), dayOfMonth);
}

function endOf(which: string | undefined, period: string, today: string): string {
  const next = which?.trim() === 'next';
  if (period === 'week') return addDays(mondayOf(today), next ? 13 : 6);
  if (period === 'month') return lastOfMonth(next ? addMonths(firstOfMonth(today), 1) : today);
  return `${Number(today.slice(0, 4)) + (next ? 1 : 0)}-12-31`;
}

function nextStart(period: string, today: string): string {
  if (period === 'week') return addDays(mondayOf(today), 7);
  if (period === 'month') return addMonths(firstOfMonth(today), 1);
  return `${Number(today.slice(0, 4)) + 1}-01-01`;
}

type Reader = [shape: RegExp, read: (match: RegExpExecArray, today: string) => string];

const readers: Reader[] = [
  [/^(today|tonight|this (morning|afternoon|evening))$/, (_, today) => today],
  [/^tomorrow/, (_, today) => addDays(today, 1)],
  [/^(the )?day after tomorrow$/, (_, today) => addDays(today, 2)],
  [/^yesterday$/, (_, today) => addDays(today, -1)],
  [/^(this|the) weekend$/, (_, today) => addDays(mondayOf(today), 5)],
  [/^next weekend$/, (_, today) => addDays(mondayOf(today), 12)],
  [
    /^(?:the )?end of (the |this |next )?(week|month|year)$/,
    ([, which, period = ''], today) => endOf(which, period, today),
  ],
  [/^next (week|month|year)$/, ([, period = ''], today) => nextStart(period, today)],
  [
    /^in (\w+) (day|week|month|year)s?( time)?$/,
    ([, count = '', name = ''], today) => later(today, amountOf(count), name),
  ],
  [/^(\w+) (day|week|month|year)s? from/, ([, count = '', name = ''], today) => later(today, amountOf(count), name)],
  [
    /^(\d{4})-(\d{1,2})-(\d{1,2})$/,
    ([, year, monthOf, dayOf]) => dateText(Number(year), Number(monthOf), Number(dayOf)),
  ],
  [
    /^(\d{1,2})\.(\d{1,2})\.(\d{4})?$/,
    ([, dayOf = '', monthOf, year], today) => monthDate(months[Number(monthOf) - 1]?.[0] ?? '', dayOf, year, today),
  ],
  [
    new RegExp(`^(?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${month})(?:,? (\\d{4}))?$`),
    ([, dayOf = '', name = '', year], today) => monthDate(name, dayOf, year, today),
  ],
  [
    new RegExp(`^(${month}) (?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?$`),
    ([, name = '', dayOf = '', year], today) => monthDate(name, dayOf, year, today),
  ],
  [/^the (\d{1,2})(st|nd|rd|th)$/, ([, dayOf], today) => dayOfMonthDate(Number(dayOf), today)],
  [
    new RegExp(`^(?:(this|next|coming|last) )?(${weekday}|${weekdayShort})(?: (?:morning|afternoon|evening|night))?$`),
    ([, which, name = ''], today) => weekdayDate(which, name, today),
  ],
];

/**
 * The date that words mean, seen from `today`; undefined when they mean none. A date that is written out but does not
 * exist, such as 2026-02-30, comes back as written, for the tool to refuse.
 */
export function readDay(words: string, today: string): string | undefined {
  const text = words.toLowerCase().replaceAll(/\s+/g, ' ').trim();
  for (const [shape, read] of readers) {
    const match = shape.exec(text);
    if (match) return read(match, today);
  }
  return undefined;
}

/** Days from the first to the last, both included. */
export interface Span {
  first?: string | undefined;
  last?: string | undefined;
}

/** The days that words such as “next week” mean, seen from `today`. */
export function readSpan(words: string, today: string): Span | undefined {
  const text = words.toLowerCase().replaceAll(/\s+/g, ' ').trim();
  const period = /^(this|next|the coming|last) (week|month)$/.exec(text);
  if (period) {
    const shift = { this: 0, next: 1, 'the coming': 1, last: -1 }[period[1] ?? ''] ?? 0;
    if (period[2] === 'week') {
      const first = addDays(mondayOf(today), shift * 7);
      return { first, last: addDays(first, 6) };
    }
    const first = addMonths(firstOfMonth(today), shift);
    return { first, last: lastOfMonth(first) };
  }
  const ahead = /^(?:(?:the )?(?:next|coming) )?(\w+) (day|week|month|year)s?$/.exec(text);
  if (ahead) return { first: today, last: later(today, amountOf(ahead[1] ?? ''), ahead[2] ?? '') };
  if (/ weekend$/.test(text)) {
    const first = readDay(text, today);
    return first === undefined ? undefined : { first, last: addDays(first, 1) };
  }
  if (/^next (week|month|year)$/.test(text)) return undefined;
  const one = readDay(text, today);
  return one === undefined ? undefined : { first: one, last: one };
}
