import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { instantOf, wallClockAt } from '../../domain/recurrence/wall-clock.ts';
import { findDates } from '../../web/src/quick-add/dates.ts';
import { type Assignable, keyOf, parseLine } from '../../web/src/quick-add/parse.ts';
import { phrases } from '../support/quick-add-phrases.ts';

/* The days of the service's own calendar are the oracle: what the pages read, the service plans at the same instant. */

const test = suite('quick add');
const dayMs = 86_400_000;
const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago'];
const people: Assignable[] = [
  { id: 'me', name: 'me', type: 'user' },
  { id: 'ada', name: 'Ada Lovelace', type: 'user' },
  { id: 'res', name: 'Researcher', type: 'agent' },
];
const lists = [
  { id: 'fin', name: 'Finance' },
  { id: 'spr', name: 'Spring release' },
  { id: 'sp', name: 'Spring' },
];
const read = (text: string, now: number, timeZone: string, plain?: ReadonlySet<string>) =>
  parseLine(text, { now, timeZone, lists, people, findDates, ...(plain && { plain }) });

const isoDay = (wall: number) => new Date(wall).toISOString().slice(0, 10);
const wallOf = (day: string, time: string) => Date.parse(`${day}T${time}:00Z`);
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The day that a table means: `+2`, a weekday from today on, or a date. */
function dayMeant(text: string, wallNow: number, time = '23:59'): string {
  if (/^\+\d+$/.test(text)) return isoDay(wallNow + Number(text) * dayMs);
  const weekday = weekdays.indexOf(text);
  if (weekday < 0) return text;
  const days = (weekday - new Date(wallNow).getUTCDay() + 7) % 7;
  const isPassed = wallOf(isoDay(wallNow + days * dayMs), time) <= wallNow;
  return isoDay(wallNow + (isPassed ? 7 : days) * dayMs);
}

/** The input of createTodo that a table means: title, then `key: value` parts. */
function inputMeant(title: string, parts: readonly string[], now: number, timezone: string) {
  const wallNow = wallClockAt(now, timezone);
  const input: Record<string, unknown> = title === '' ? {} : { title };
  for (const part of parts) {
    const [key = '', value = ''] = part.split(/: (.*)/s);
    if (key === 'every') input.schedule = { ...JSON.parse(value), timezone };
    else if (key === 'hours') {
      const at = now + Number(value) * 3_600_000;
      input.dueDate = isoDay(wallClockAt(at, timezone));
      input.schedule = { runAt: new Date(Math.floor(at / 60_000) * 60_000).toISOString(), timezone };
    } else if (key === 'due') {
      const [dayText = '', time] = value.split(' ');
      const isLater = time !== undefined && wallOf(isoDay(wallNow), time) > Math.floor(wallNow / 60_000) * 60_000;
      const day = dayText === 'next' ? isoDay(wallNow + (isLater ? 0 : dayMs)) : dayMeant(dayText, wallNow, time);
      input.dueDate = day;
      const runAt = time === undefined ? 0 : instantOf(wallOf(day, time), timezone);
      if (runAt > now) input.schedule = { runAt: new Date(runAt).toISOString(), timezone };
    } else if (key === 'to') input.assignees = value.split(' ').map((id) => ({ id }));
    else if (key === 'run') input.run = true;
    else input[key] = value;
  }
  return input;
}

/**
 * An ordinary day, and of each change of the clocks in 2026 and 2027 the evening before, the early morning and the
 * noon.
 */
function nowsOf(timezone: string): number[] {
  const nows = [instantOf(Date.UTC(2026, 10, 24, 10, 15), timezone)];
  for (let day = Date.UTC(2026, 8, 1); day < Date.UTC(2027, 5, 1); day += dayMs) {
    if (instantOf(day + dayMs, timezone) - instantOf(day, timezone) === dayMs) continue;
    for (const hours of [-0.4, 1.5, 12.25]) nows.push(instantOf(day + hours * 3_600_000, timezone));
  }
  return nows;
}

test('a table of phrases is read the same in every zone, also around the days when the clocks change', () => {
  assert.ok(phrases.length >= 120, `${phrases.length} phrases`);
  const own = process.env.TZ;
  try {
    // The zone of the browser makes no difference.
    for (const zoneOfBrowser of ['UTC', 'America/New_York']) {
      process.env.TZ = zoneOfBrowser;
      for (const zone of zones) {
        const nows = nowsOf(zone);
        assert.ok(nows.length >= 7, `${zone} changes its clocks`);
        for (const now of nows) {
          for (const [text, title, ...parts] of phrases) {
            const where = `${text} in ${zone} at ${new Date(wallClockAt(now, zone)).toISOString()} (${zoneOfBrowser})`;
            assert.equal(read(text, now, zone).input, inputMeant(title, parts, now, zone), where);
          }
        }
      }
    }
  } finally {
    if (own === undefined) delete process.env.TZ;
    else process.env.TZ = own;
  }
});

const now = Date.parse('2026-11-24T09:15:00Z');

test('a day alone is that of the person, a day with a time that of the workspace', () => {
  const given = { now, timeZone: 'Pacific/Pago_Pago', zoneOfDays: 'Pacific/Kiritimati', lists, people, findDates };
  const { input } = parseLine('call the bank tomorrow', given);
  assert.is(input.dueDate, '2026-11-25');
  const timed = parseLine('call the bank tomorrow 9am', given).input;
  assert.equal([timed.dueDate, timed.schedule?.runAt], ['2026-11-24', '2026-11-24T20:00:00.000Z']);
});

test('a day without its year is the next one, and months are counted by their days', () => {
  for (const [today, text, day] of [
    ['2026-11-24', 'pay 3 dec', '2026-12-03'],
    ['2026-12-04', 'pay 3 dec', '2027-12-03'],
    ['2026-11-24', 'pay 3 may', '2027-05-03'],
    ['2026-11-24', 'pay on the last day of the month', '2026-11-30'],
    ['2026-01-30', 'pay next month', '2026-02-28'],
    ['2028-01-31', 'pay in a month', '2028-02-29'],
    ['2026-08-31', 'pay in 3 months', '2026-11-30'],
    ['2026-12-31', 'pay 2 months from now', '2027-02-28'],
    ['2026-12-31', 'pay in a month', '2027-01-31'],
    ['2026-02-28', 'pay next month at 9am', '2026-03-28'],
    ['2026-01-31', 'pay next month at 9am', '2026-02-28'],
  ] as const)
    assert.is(read(text, Date.parse(`${today}T09:15:00Z`), 'UTC').input.dueDate, day, `${text} on ${today}`);
});

test('a token that is turned back to text stays in the title, and nothing else is read in it', () => {
  const text = 'call tomorrow 9am !high #Finance';
  const [date, priority] = read(text, now, 'UTC').tokens;
  assert.equal([date?.text, priority?.text], ['tomorrow 9am', '!high']);
  const plain = new Set([date, priority].map((token) => keyOf(token ?? { kind: 'run', text: '' })));
  const { title, input, tokens } = read(text, now, 'UTC', plain);
  assert.is(title, 'call tomorrow 9am !high');
  assert.equal(input, { title, todoListId: 'fin' });
  assert.equal(
    tokens.map(({ kind, start, end }) => [kind, start, end]),
    [['list', 24, 32]],
  );
});

test('before the code of dates is loaded all but dates is read', () => {
  const { input } = parseLine('call tomorrow !low every day', { now, timeZone: 'UTC', lists, people });
  assert.equal(input, { title: 'call tomorrow', priority: 'low', schedule: { every: 'day', timezone: 'UTC' } });
});

test('any text is read without an error, and its tokens are parts of it, in order and apart', () => {
  const parts = [
    'every',
    ' ',
    'day',
    '"',
    '#',
    '@me',
    '!high',
    '/run',
    'at',
    '9',
    'until',
    'friday',
    '“',
    '\u0001',
    '🌱',
  ];
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: 8 }, (_, place) => parts[(round * 7 + place * place * (round % 13)) % 15]).join(
      round % 2 === 0 ? ' ' : '',
    );
    const { tokens } = read(text, now, 'Europe/Berlin');
    let end = 0;
    for (const token of tokens) {
      assert.ok(token.start >= end && token.end > token.start, text);
      assert.is(text.slice(token.start, token.end), token.text);
      end = token.end;
    }
  }
});

test.run();
