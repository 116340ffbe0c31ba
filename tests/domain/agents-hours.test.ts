import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openingOf } from '../../domain/agents/rows.ts';
import { nextOpening } from '../../domain/agents/working-hours.ts';
import { instantOf, wallClockAt } from '../../domain/recurrence/wall-clock.ts';
import { hours } from '../support/agent-fixtures.ts';
import { startTestService, type TestService } from '../support/harness.ts';

const test = suite('working hours');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

type Given = Parameters<typeof nextOpening>[0];

const open = null;
const every = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** Holds the openings at instants, worked out by hand from the rules of the zone. */
function openings(given: ReturnType<typeof hours>, expected: Record<string, string | null>) {
  for (const [at, opening] of Object.entries(expected)) {
    assert.is(nextOpening(given as Given, new Date(at)), opening?.replace('Z', '.000Z') ?? null, at);
  }
}

test('it opens at the start and closes at the end, of its days alone', () => {
  openings(hours('09:00', '17:00'), {
    '2026-11-20T08:59:59.999Z': '2026-11-20T09:00:00Z', // Friday
    '2026-11-20T09:00:00.000Z': open,
    '2026-11-20T16:59:59.999Z': open,
    '2026-11-20T17:00:00.000Z': '2026-11-23T09:00:00Z', // Monday
    '2026-11-22T12:00:00.000Z': '2026-11-23T09:00:00Z',
    '2026-11-23T17:00:00.000Z': '2026-11-24T09:00:00Z',
  });
});

test('a week of one day comes round after seven', () => {
  openings(hours('13:30', '13:31', 'UTC', ['wed']), {
    '2026-11-18T13:29:59Z': '2026-11-18T13:30:00Z',
    '2026-11-18T13:30:59Z': open,
    '2026-11-18T13:31:00Z': '2026-11-25T13:30:00Z',
    '2026-11-19T00:00:00Z': '2026-11-25T13:30:00Z',
    '2026-12-30T13:31:00Z': '2027-01-06T13:30:00Z',
  });
});

test('24:00 is the midnight that ends the day, and a whole week never closes', () => {
  openings(hours('18:00', '24:00', 'UTC', ['fri']), {
    '2026-11-20T23:59:59.999Z': open,
    '2026-11-21T00:00:00Z': '2026-11-27T18:00:00Z',
  });
  openings(hours('00:00', '24:00', 'Asia/Kolkata', every), {
    '2026-11-20T18:29:59.999Z': open,
    '2026-11-20T18:30:00Z': open,
    '2026-11-21T05:00:00Z': open,
  });
});

test('the days are those of the zone, on whichever side of UTC', () => {
  // Monday 00:00–08:00 in Auckland (+13 in November) is Sunday 11:00–19:00 UTC.
  openings(hours('00:00', '08:00', 'Pacific/Auckland', ['mon']), {
    '2026-11-22T10:59:59Z': '2026-11-22T11:00:00Z',
    '2026-11-22T11:00:00Z': open,
    '2026-11-22T19:00:00Z': '2026-11-29T11:00:00Z',
  });
  // Monday 18:00–24:00 in Honolulu (−10) is Tuesday 04:00–10:00 UTC.
  openings(hours('18:00', '24:00', 'Pacific/Honolulu', ['mon']), {
    '2026-11-23T12:00:00Z': '2026-11-24T04:00:00Z',
    '2026-11-24T09:59:59Z': open,
    '2026-11-24T10:00:00Z': '2026-12-01T04:00:00Z',
  });
});

test('Berlin: nine is nine before and after the clocks change, and an hour that is skipped is not waited for', () => {
  // +1 until 29 March 2026, 01:00 UTC, then +2; +1 again from 25 October, 01:00 UTC.
  const working = hours('09:00', '17:00', 'Europe/Berlin', every);
  openings(working, {
    '2026-03-28T17:00:00Z': '2026-03-29T07:00:00Z',
    '2026-03-28T07:59:59Z': '2026-03-28T08:00:00Z',
    '2026-10-24T16:00:00Z': '2026-10-25T08:00:00Z',
    '2026-10-25T07:00:00Z': '2026-10-25T08:00:00Z',
  });
  // 02:30 does not come on 29 March: it moves forward by the hour, to 03:30 (+2).
  openings(hours('02:30', '04:00', 'Europe/Berlin', every), {
    '2026-03-29T00:59:59Z': '2026-03-29T01:30:00Z',
    '2026-03-29T01:30:00Z': open,
    '2026-03-29T01:59:59Z': open,
    '2026-03-29T02:00:00Z': '2026-03-30T00:30:00Z',
  });
  // 02:30 moves behind 03:00, so nothing is left of that Sunday.
  openings(hours('02:30', '03:00', 'Europe/Berlin', ['sun']), {
    '2026-03-29T00:00:00Z': '2026-04-05T00:30:00Z',
    '2026-03-22T02:00:00Z': '2026-04-05T00:30:00Z',
  });
  // 02:30 comes twice on 25 October: the first counts, so a day from 02:00 to 03:00 is two hours long.
  openings(hours('02:30', '03:00', 'Europe/Berlin', ['sun']), {
    '2026-10-25T00:29:59Z': '2026-10-25T00:30:00Z',
    '2026-10-25T01:30:00Z': open,
    '2026-10-25T01:59:59Z': open,
    '2026-10-25T02:00:00Z': '2026-11-01T01:30:00Z',
  });
});

test('New York: the same, on its own days', () => {
  // −5 until 8 March 2026, 07:00 UTC, then −4; −5 again from 1 November, 06:00 UTC.
  openings(hours('08:00', '18:00', 'America/New_York', every), {
    '2026-03-07T23:00:00Z': '2026-03-08T12:00:00Z',
    '2026-03-07T12:59:59Z': '2026-03-07T13:00:00Z',
    '2026-10-31T22:00:00Z': '2026-11-01T13:00:00Z',
  });
  openings(hours('02:15', '12:00', 'America/New_York', ['sun']), {
    '2026-03-08T07:00:00Z': '2026-03-08T07:15:00Z',
    '2026-03-08T15:59:59Z': open,
    '2026-03-08T16:00:00Z': '2026-03-15T06:15:00Z',
  });
  openings(hours('00:00', '01:30', 'America/New_York', ['sun']), {
    '2026-11-01T05:29:59Z': open,
    '2026-11-01T05:30:00Z': '2026-11-08T05:00:00Z',
  });
});

test('Lord Howe: clocks that move by half an hour', () => {
  // +11 until 5 April 2026, 02:00 (4 April, 15:00 UTC), then +10:30; +11 again from 4 October, 02:00 (15:30 UTC).
  openings(hours('09:00', '17:00', 'Australia/Lord_Howe', every), {
    '2026-04-04T06:00:00Z': '2026-04-04T22:30:00Z',
    '2026-10-03T06:30:00Z': '2026-10-03T22:00:00Z',
  });
  // 02:10 does not come on 4 October: 02:40 (+11) stands for it.
  openings(hours('02:10', '06:00', 'Australia/Lord_Howe', ['sun']), {
    '2026-10-03T15:30:00Z': '2026-10-03T15:40:00Z',
    '2026-10-03T18:59:59Z': open,
  });
  // 01:40 comes twice on 5 April: first at +11.
  openings(hours('01:40', '06:00', 'Australia/Lord_Howe', ['sun']), {
    '2026-04-04T14:39:59Z': '2026-04-04T14:40:00Z',
    '2026-04-04T15:00:00Z': open,
    '2026-04-04T19:29:59Z': open,
    '2026-04-04T19:30:00Z': '2026-04-11T15:10:00Z',
  });
});

test('Santiago: a midnight that does not come ends the day an hour later by name, at the same instant', () => {
  // −4 until 6 September 2026, 04:00 UTC, where 00:00 becomes 01:00 (−3).
  openings(hours('20:00', '24:00', 'America/Santiago', ['sat']), {
    '2026-09-06T03:59:59.999Z': open,
    '2026-09-06T04:00:00Z': '2026-09-12T23:00:00Z',
  });
  openings(hours('00:00', '02:00', 'America/Santiago', ['sun']), {
    '2026-09-06T03:59:59.999Z': '2026-09-06T04:00:00Z',
    '2026-09-06T04:59:59Z': open,
    '2026-09-06T05:00:00Z': '2026-09-13T03:00:00Z',
  });
});

test('whatever opens next is open then and was closed just before, all year round in many zones', () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago', 'Asia/Kathmandu'];
  const given = zones.flatMap((zone) => [
    hours('02:15', '02:45', zone, every),
    hours('23:30', '24:00', zone, ['sat', 'sun']),
    hours('00:00', '03:00', zone, ['sun']),
  ]);
  for (const each of given as Given[]) {
    for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 7.3 * 3_600_000) {
      const opening = nextOpening(each, new Date(at));
      if (opening === null) continue;
      const opens = Date.parse(opening);
      assert.ok(opens > at && opens - at <= 15 * 86_400_000, `${opening} after ${new Date(at).toISOString()}`);
      assert.is(nextOpening(each, new Date(opens)), open, opening);
      assert.is(nextOpening(each, new Date(opens - 1)), opening);
    }
  }
});

test('a wall clock leads to the instant that shows it, wherever there is one', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Kiritimati']) {
    for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 5_419_000) {
      const wall = wallClockAt(at, zone);
      const found = instantOf(wall, zone);
      assert.is(wallClockAt(found, zone), wall);
      assert.ok(found === at || found === at - 3_600_000 || found === at - 1_800_000, 'itself, or the first of two');
    }
  }
});

test('an agent waits for its opening only while it keeps to its hours', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const other = await tandem.workspace();
  const { body: agent } = await call('POST /agents', { name: 'Scout' });
  const at = (text: string, workspace = workspaceId) => openingOf(tandem.db, workspace, agent.id, new Date(text));
  assert.is(await at('2026-11-21T12:00:00Z'), null, 'no hours');
  await call(`PATCH /agents/${agent.id}`, { workingHours: hours('09:00', '17:00') });
  assert.is(await at('2026-11-21T12:00:00Z'), null, 'switched off');
  await call(`PATCH /agents/${agent.id}`, { workingHoursEnabled: true });
  assert.is(await at('2026-11-21T12:00:00Z'), '2026-11-23T09:00:00.000Z');
  assert.is(await at('2026-11-23T12:00:00Z'), null, 'open');
  assert.is(await at('2026-11-21T12:00:00Z', other.workspaceId), null, 'no agent of this workspace');
});

test.run();
