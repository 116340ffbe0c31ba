import { z } from 'zod';

const unpaired = 'must be well-formed Unicode without lone surrogates';

/** The length of a text in Unicode code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The index behind the first `count` code points; the length of the text when it has no more. */
export function indexAfter(text: string, count: number): number {
  if (text.length <= count) return text.length;
  let index = 0;
  for (let left = count; left > 0 && index < text.length; left -= 1) {
    index += (text.codePointAt(index) as number) > 0xffff ? 2 : 1;
  }
  return index;
}

/** Text kept as written: no NUL, well-formed Unicode, at most `max` code points. May be empty. */
export function text(max: number) {
  return z
    .string()
    .refine((value) => !value.includes('\0'), 'must not contain the NUL character')
    .refine((value) => value.isWellFormed(), unpaired)
    .refine((value) => value.length <= max || codePoints(value) <= max, `must be at most ${max} characters long`)
    .meta({ maxLength: max });
}

/** As `text`, but not empty and not only white space. */
export function nonBlankText(max: number) {
  return text(max)
    .refine((value) => value.trim() !== '', 'must not be blank')
    .meta({ minLength: 1, maxLength: max });
}

/**
 * A resource id in a request or an answer: a UUID. Capitals of a request are lower case from here on, as in the
 * database.
 */
export const Id = z
  .string()
  .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 'must be a UUID')
  .toLowerCase()
  .meta({ format: 'uuid' });

/** An id that the client chooses for a new resource: a UUIDv7, as those of the service are. */
export const NewId = z
  .string()
  .regex(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$/, 'must be a UUIDv7')
  .toLowerCase()
  .meta({ format: 'uuid' });

/** An instant in an answer: RFC 3339 in UTC with milliseconds. */
export const Instant = z.string().meta({ format: 'date-time', examples: ['2026-03-01T09:00:00.000Z'] });

/** Offsets end before 16 hours, as in PostgreSQL; on Earth they end at 14. */
const instantShape = /^\d{4}-\d{2}-\d{2}[Tt]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-](0\d|1[0-5]):[0-5]\d)$/;

function isInstant(value: string): boolean {
  return instantShape.test(value) && isCalendarDate(value.slice(0, 10)) && !Number.isNaN(Date.parse(value));
}

const instantWanted = 'must be an RFC 3339 date and time with an offset, such as 2026-03-01T09:00:00Z';

/** A time whose offset has a space for its sign: an unescaped `+` of a query arrives as one. */
const unescaped = /:\d{2}(\.\d+)? \d{2}:\d{2}$/;

/** An instant in a request: RFC 3339 with an offset. */
export const InstantInput = z
  .string()
  .refine(isInstant, {
    error: ({ input }) =>
      unescaped.test(String(input)) ? `${instantWanted}; in an address write its + as %2B` : instantWanted,
  })
  .meta({ format: 'date-time' });

function isCalendarDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value) || value.startsWith('0000')) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

/** A floating calendar date, `YYYY-MM-DD`, in an answer. */
export const Day = z.string().meta({ format: 'date', examples: ['2026-03-01'] });

/** A floating calendar date in a request, that exists. */
export const CalendarDate = z
  .string()
  .refine(isCalendarDate, 'must be a date of the calendar, written YYYY-MM-DD, such as 2026-03-01')
  .meta({ format: 'date', examples: ['2026-03-01'] });

/** What remains of a resource after its deletion. */
export const DeletedResource = z
  .object({
    object: z.literal('deleted'),
    id: Id,
    deleted: z.literal(true),
    alreadyArchived: z.boolean().optional().describe('True when it was already archived and nothing changed.'),
    recoverable: z.boolean().describe('True when it was archived and can be restored, false when it is gone.'),
  })
  .meta({ id: 'DeletedResource' });

/** The list envelope around `item`; `id`, its name in the document, is `<Item>Page`. */
export function listOf<Item extends z.ZodType>(item: Item, id: string) {
  return z
    .object({
      object: z.literal('list'),
      data: z.array(item),
      hasMore: z.boolean(),
      nextCursor: z.string().nullable().describe('Pass it as `cursor` for the next page; null on the last one.'),
    })
    .meta({ id });
}

/** A whole list in one page. */
export function wholeList<Item>(data: Item[]) {
  return { object: 'list' as const, data, hasMore: false, nextCursor: null };
}

/** One value, or a list of up to `max` values: in a query they are separated by commas. */
export function oneOrMany<Item extends z.ZodType>(item: Item, max: number) {
  return z.union([item, z.array(item).min(1).max(max)]);
}

/** `limit` of a paged list. */
export const Limit = z.int().min(1).max(100).default(25).describe('Page size.');

/** `cursor` of a paged list. Any text: what is no cursor is refused as `invalid_cursor` where it is opened. */
export const CursorText = z.string().optional().describe('`nextCursor` of a previous page.');

/** The names of the IANA database without an area. Intl also takes abbreviations that are none, such as IST. */
const plainZones =
  'CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey UCT UTC Universal W-SU WET Zulu';
/** Name in lower case → as the IANA database spells it. */
const zones = new Map(
  [...Intl.supportedValuesOf('timeZone'), ...plainZones.split(' ')].map((name) => [name.toLowerCase(), name]),
);

function isTimeZone(name: string): boolean {
  if (zones.has(name.toLowerCase())) return true;
  if (!/^[A-Z][\w+-]*(\/[\w+-]+)+$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** A time zone of the IANA database, from here on in its spelling. */
export const TimeZone = z
  .string()
  .refine(isTimeZone, 'must be an IANA time zone, such as Europe/Berlin')
  .overwrite((name) => zones.get(name.toLowerCase()) ?? name)
  .meta({ examples: ['Europe/Berlin'] });
