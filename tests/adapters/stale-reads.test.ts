import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mayLag, operationsOf } from '../../adapters/operations.ts';
import { acceptedAge } from '../../adapters/rest/stale-reads.ts';
import { appRouter } from '../../routers/index.ts';

const test = suite('reads that accept an old answer');

test('the accepted age is that of max-stale, and any without a value', () => {
  for (const [header, seconds] of [
    ['max-stale=30', 30],
    ['Max-Stale="30"', 30],
    ['no-transform, max-stale=5', 5],
    ['max-stale=30, max-stale=5', 5],
    ['max-stale', Number.POSITIVE_INFINITY],
    ['max-stale=0', 0],
  ] as const) {
    assert.is(acceptedAge(header), seconds, header);
  }
});

test('nothing old is accepted without it, with a value that is no number, or beside a directive that asks for a fresh answer', () => {
  const headers = ['', 'no-transform', 'max-stale=', 'max-stale=soon', 'max-stale=-1', 'max-stale=1.5', 'stale=5'];
  const fresh = ['no-cache', 'no-store', 'max-age=0', 'min-fresh=1'];
  for (const header of [undefined, ...headers, ...fresh.map((each) => `max-stale=30, ${each}`)]) {
    assert.is(acceptedAge(header), 0, header);
  }
});

test('credentials, members, the log, streams and changes are never read from a standby', () => {
  const lagging = operationsOf(appRouter).filter(mayLag);
  const ids = lagging.map(({ id }) => id);
  for (const id of [
    'listTodos',
    'getTodo',
    'summariseTodos',
    'listChats',
    'listMessages',
    'listCaptures',
    'listAgents',
  ]) {
    assert.ok(ids.includes(id), id);
  }
  for (const each of lagging) {
    assert.equal([each.method, each.type, each.stream, each.after], ['GET', 'query', null, null], each.id);
    assert.match(each.scope ?? '', /^(todos|chats|agents|captures):read$/, each.id);
  }
});

test.run();
