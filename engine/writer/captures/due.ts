import { addDays, exists, firstOfMonth, lastOfMonth } from '../../offline/calendar.ts';
import { dayPattern, readDay, readSpan, weekdayShort } from '../../offline/date-words.ts';

/** A day that a sentence states for something to be done. */
export interface Due {
  /** `YYYY-MM-DD`. */
  date: string;
  /** Its place in the text, with its preposition. */
  from: number;
  to: number;
}

const lead =
  '(?:no|not) later than|at the latest (?:by|on)|due(?: date)?(?: by| on|:)?|deadline(?: is|:)?|by|until|till|before|on|📅|bis(?: zum| spätestens)?|am|le|avant le|pour le|el|antes del|para el|entro il|até|voor|vóór';
const dayEnd = 'end of (?:the )?(?:business )?day|eod|cob|close of business|noon|midnight';
const clock = "(?:at )?\\d{1,2}(?::\\d{2})?\\s*(?:a\\.?m\\.?|p\\.?m\\.?|o[’']clock)";
const east = '(?:\\d{4}年)?\\d{1,2}月\\d{1,2}[日号]';
const monthEnd = 'end of (?:january|february|march|april|may|june|july|august|september|october|november|december)';
const week = 'this week|next week|this month|next month|eow|eom';
const days = `${week}|${monthEnd}|${dayPattern}|(?:${weekdayShort})`;
const stated = new RegExp(
  `(?<![\\p{L}\\p{N}/-])(?:(?<lead>${lead})\\s+(?:the\\s+)?)?(?:(?<day>${days}|${east})|(?<hour>${dayEnd}|${clock})(?:\\s*,?\\s+(?:on\\s+|of\\s+)?(?<hourDay>${days}))?)(?![\\p{L}\\p{N}/-]|['’]s\\b)`,
  'giu',
);

/** In front of a day that something does not have to be done by. */
const notDue =
  /(?:^|\s)(?:from|since|after|of|about|until|last|every|each|between|starting|through|for|than|the|and|or)\s+$/i;
const anywhere =
  /^(?:today|tonight|tomorrow|the day after|day after|this |next |(?:the )?end of|in (?!an? (?:day|week|month|year)\b)|\d{4}-|\d{1,2}\.\d|eow|eom|[\d年]+月)/i;
const isWeekdayShort = new RegExp(`^(?:${weekdayShort})$`, 'i');
const isMonthEnd = new RegExp(`^${monthEnd}$`);
const isSpan = /^(?:this|next) (?:week|month)$/i;

function dayOf(words: string, today: string): string | undefined {
  const phrase = words.toLowerCase().replaceAll(/\s+/g, ' ').trim();
  if (phrase === 'eow') return readDay('end of the week', today);
  if (phrase === 'eom') return readDay('end of the month', today);
  if (isMonthEnd.test(phrase)) {
    const first = readDay(`1 ${phrase.slice('end of '.length)}`, firstOfMonth(today));
    return first === undefined ? undefined : lastOfMonth(first);
  }
  if (isSpan.test(phrase)) return readSpan(phrase, today)?.last;
  const written = /^(?:(\d{4})年)?(\d{1,2})月(\d{1,2})[日号]$/.exec(phrase);
  if (written) return readDay(`${written[3]}.${written[2]}.${written[1] ?? ''}`, today);
  return readDay(phrase, today);
}

/** Whether nothing of the clause comes after a place. */
const endsAt = (text: string, place: number) =>
  /^\s*(?:$|[.,;:!)\]–—]|(?:at the latest|latest|please|then|and|so|at \d)\b)/i.test(text.slice(place, place + 30));

function readMatch(text: string, match: RegExpMatchArray, today: string): (Due & { isDeadline: boolean }) | undefined {
  const { lead: before, day, hour, hourDay } = match.groups ?? {};
  const from = match.index ?? 0;
  const to = from + match[0].length;
  const words = day ?? hourDay;
  // “sun” and “may” mean other things too; “3 pm” alone is no day unless something has to be done by then.
  if (day !== undefined && isWeekdayShort.test(day) && (before === undefined || /^(?:am|le|el|voor)$/i.test(before)))
    return undefined;
  if (
    words === undefined &&
    (before === undefined || !/^(?:by|until|till|before|due|no|not|deadline)/i.test(before)) &&
    !/^(?:eod|cob|end|close)/i.test(hour ?? '')
  )
    return undefined;
  if (notDue.test(text.slice(Math.max(0, from - 12), from))) return undefined;
  if (words !== undefined && /^(?:yesterday|last )/i.test(words)) return undefined;
  if (before === undefined && words !== undefined && !anywhere.test(words) && !endsAt(text, to)) return undefined;
  const date = words === undefined ? today : dayOf(words, today);
  if (date === undefined || !exists(date)) return undefined;
  // “Before Friday” is the day before, unless that is over.
  const earlier = before?.toLowerCase() === 'before' && words !== undefined && date > today ? addDays(date, -1) : date;
  return { date: earlier, from, to, isDeadline: before !== undefined && !/^(?:on|am|le|el)$/i.test(before) };
}

/**
 * The day that a clause states for what is to be done, seen from `today`: “by Friday”, “tomorrow”, “next week” (its
 * last day), “before Friday” (the day before), `2026-12-01`. A deadline goes before any other day.
 */
export function dueIn(text: string, today: string): Due | undefined {
  let found: Due | undefined;
  for (const match of text.matchAll(stated)) {
    const due = readMatch(text, match, today);
    if (due?.isDeadline) return due;
    found ??= due;
  }
  return found;
}

/** The text without the words of the day. */
export function withoutDue(text: string, { from, to }: Due): string {
  return `${text.slice(0, from).trimEnd()} ${text.slice(to).trimStart()}`.trim();
}
