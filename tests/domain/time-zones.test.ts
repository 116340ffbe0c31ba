import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TimeZone } from '../../domain/fields.ts';
import { wallClockAt } from '../../domain/recurrence/wall-clock.ts';

const test = suite('names of time zones');

const parsed = (name: string) => TimeZone.safeParse(name).data;

test('names without an area are those of the IANA database alone', () => {
  for (const name of ['GMT', 'CET', 'EST5EDT', 'Japan', 'Singapore', 'NZ-CHAT', 'GMT+0', 'UTC', 'Zulu']) {
    assert.is(parsed(name), name);
    assert.type(wallClockAt(0, name), 'number');
  }
  for (const name of ['PST', 'IST', 'BST', 'JST', 'Factory', 'localtime', '+02:00', '', 'Europe']) {
    assert.is(parsed(name), undefined, name);
  }
});

test('they are kept as the IANA database spells them, and a link as itself', () => {
  const spelled = { 'Europe/berlin': 'Europe/Berlin', 'america/PORT-AU-PRINCE': 'America/Port-au-Prince', utc: 'UTC' };
  for (const [name, wanted] of Object.entries(spelled)) assert.is(parsed(name), wanted);
  for (const name of ['Asia/Kolkata', 'Europe/Kyiv', 'Etc/GMT+5']) assert.is(parsed(name), name);
});

test.run();
