import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { announce } from '../../domain/live.ts';
import { startTestService, type TestService, testDatabaseUrl } from '../support/harness.ts';
import { type Follower, follow, listening } from '../support/live-fixtures.ts';
import { openPassage, type Passage } from '../support/passage.ts';
import { until } from '../support/until.ts';

const test = suite('events of chats');
let here: TestService;
let there: TestService;
let passage: Passage;

test.before(async () => {
  passage = await openPassage(testDatabaseUrl());
  here = await startTestService({ AGENT_CONCURRENCY: '0', DATABASE_URL: passage.url });
  there = await startTestService({ AGENT_CONCURRENCY: '0' });
  await Promise.all([listening(here), listening(there)]);
});
test.after(async () => {
  await Promise.all([here.close(), there.close()]);
  await passage.close();
});

/** Waits until both processes know of the follower, who was made to read again then; it has received nothing else. */
async function confirmed(close: Follower, chatId: string): Promise<void> {
  await until(() => there.service.live.isFollowed(chatId) && close.received.length > 0);
  assert.equal(close.kinds(), ['resync']);
  close.clear();
}

/**
 * Announces a change of another chat; what was announced before has arrived, or never will, once both processes have
 * it.
 */
async function marker(): Promise<void> {
  const chatId = crypto.randomUUID();
  const followers = [follow(here, chatId), follow(there, chatId)];
  announce(there.db, { kind: 'status', chatId });
  await until(() => followers.every(({ received }) => received.length > 0));
  for (const { leave } of followers) leave();
}

test('reach the followers on every process once the transaction commits, and nobody when it is rolled back', async () => {
  const chatId = crypto.randomUUID();
  const followers = [follow(here, chatId), follow(there, chatId)];
  const stranger = follow(here, crypto.randomUUID());
  const lost = there.db.transaction(async (tx) => {
    announce(tx, { kind: 'status', chatId });
    throw new Error('no');
  });
  await lost.catch(() => {});
  await there.db.transaction(async (tx) => {
    announce(tx, { kind: 'status', chatId });
    await marker();
    assert.equal(
      followers.flatMap(({ received }) => received),
      [],
    );
  });
  await until(() => followers.every(({ received }) => received.length > 0));
  await marker();
  for (const { received } of followers) assert.equal(received, [{ kind: 'status', chatId }]);
  assert.equal(stranger.received, []);
  for (const each of [...followers, stranger]) each.leave();
});

test('carry messages and deltas to those who follow closely, and the status to all', async () => {
  const chatId = crypto.randomUUID();
  const [close, loose] = [follow(here, chatId, true), follow(here, chatId)];
  await confirmed(close, chatId);
  announce(there.db, { kind: 'message', chatId });
  there.service.live.sendDelta({ chatId, sequence: 2, offset: 0, text: 'Hel' });
  there.service.live.sendDelta({ chatId, sequence: 2, offset: 3, text: 'lo' });
  await until(() => close.received.length === 3);
  announce(there.db, { kind: 'status', chatId });
  await until(() => loose.received.length > 0 && close.received.length === 4);
  assert.equal(
    close.kinds().filter((kind) => kind !== 'delta'),
    ['message', 'status'],
  );
  const deltas = close.received.filter((event) => event.kind === 'delta');
  assert.equal(deltas, [
    { kind: 'delta', chatId, sequence: 2, offset: 0, text: 'Hel' },
    { kind: 'delta', chatId, sequence: 2, offset: 3, text: 'lo' },
  ]);
  assert.equal(loose.kinds(), ['status']);
  close.leave();
  loose.leave();
});

test('carry a delta of any length and any characters, in pieces and in order', async () => {
  const chatId = crypto.randomUUID();
  const close = follow(here, chatId, true);
  await confirmed(close, chatId);
  for (const text of ['x'.repeat(30_000), '😀'.repeat(9001), '"\n\u0001\\'.repeat(5000), '']) {
    there.service.live.sendDelta({ chatId, sequence: 7, offset: 0, text });
    const textOf = () => close.received.map((event) => (event.kind === 'delta' ? event.text : '')).join('');
    await until(() => close.received.length > 0 && textOf().length === text.length);
    assert.is(textOf(), text);
    close.clear();
  }
  close.leave();
});

test('send no delta of a chat that nobody follows closely', async () => {
  const chatId = crypto.randomUUID();
  const loose = follow(here, chatId);
  assert.not(there.service.live.isFollowed(chatId));
  there.service.live.sendDelta({ chatId, sequence: 1, offset: 0, text: 'x' });
  announce(there.db, { kind: 'status', chatId });
  await until(() => loose.received.length > 0);
  assert.equal(loose.kinds(), ['status']);
  loose.leave();
});

test('make those who follow closely read again once every process knows of it', async () => {
  const chatId = crypto.randomUUID();
  const first = follow(here, chatId, true);
  assert.ok(here.service.live.isFollowed(chatId));
  await until(() => first.received.length > 0);
  assert.equal(first.kinds(), ['resync']);
  await until(() => there.service.live.isFollowed(chatId));
  const second = follow(here, chatId, true);
  await until(() => second.received.length > 0);
  assert.equal(first.kinds(), ['resync']);
  first.leave();
  second.leave();
});

test('keep nothing after a follower leaves, even twice', async () => {
  const { live } = here.service;
  const [before, chatId] = [live.subscribers, crypto.randomUUID()];
  const [gone, stays] = [follow(here, chatId), follow(here, chatId)];
  assert.is(live.subscribers, before + 2);
  gone.leave();
  gone.leave();
  assert.is(live.subscribers, before + 1);
  announce(there.db, { kind: 'status', chatId });
  await until(() => stays.received.length > 0);
  assert.equal(gone.received, []);
  stays.leave();
  assert.is(live.subscribers, before);
});

test('survive a follower that throws, and what is not ours on the channel', async () => {
  const chatId = crypto.randomUUID();
  const leave = here.service.live.subscribe(chatId, () => {
    throw new Error('no');
  });
  const other = follow(here, chatId);
  for (const payload of [
    '',
    'not JSON',
    'null',
    '[]',
    '{}',
    '{"kind":"follow"}',
    '{"kind":"status"}',
    '{"kind":"follow","chatIds":7}',
  ])
    await there.db.rows('select pg_notify($1, $2)', ['tandem_live', payload]);
  announce(there.db, { kind: 'status', chatId });
  await until(() => other.received.length > 0);
  leave();
  other.leave();
});

test('wake a thousand followers, each by one event, with no connection of their own', async () => {
  const chatIds = Array.from({ length: 1000 }, () => crypto.randomUUID());
  const followers = chatIds.map((chatId) => follow(here, chatId));
  const connections = `select count(*)::int as open from pg_stat_activity where datname = current_database()`;
  const [before] = await there.db.rows<{ open: number }>(connections, []);
  const announcedAt = performance.now();
  await there.db.transaction(async (tx) => {
    await tx.rows(
      'select pg_notify($1, json_build_object($2::text, $3::text, $4::text, id)::text) from unnest($5::text[]) id',
      ['tandem_live', 'kind', 'status', 'chatId', chatIds],
    );
  });
  await until(() => followers.every(({ received }) => received.length > 0));
  process.stdout.write(`(all awake after ${Math.round(performance.now() - announcedAt)} ms) `);
  await marker();
  assert.ok(followers.every(({ received }) => received.length === 1));
  const [after] = await there.db.rows<{ open: number }>(connections, []);
  // The pools may open a few of theirs meanwhile.
  assert.ok((after?.open ?? 0) - (before?.open ?? 0) < 100);
  for (const each of followers) each.leave();
});

for (const [what, fail] of [
  ['was cut', () => passage.cut()],
  ['went silent', async () => passage.stall()],
] as const) {
  test(`say to read again when the line ${what} and is back, and are received again`, async () => {
    const chatId = crypto.randomUUID();
    const followers = [follow(here, chatId), follow(here, chatId, true)];
    await until(() => followers[1]?.kinds().includes('resync') ?? false);
    for (const each of followers) each.clear();
    await fail();
    announce(there.db, { kind: 'status', chatId });
    // A network that went silent loses what was on its way: the connection itself is never mended.
    await sleep(500);
    if (what === 'went silent') {
      await sleep(7000);
      passage.mend();
    } else await passage.mend();
    const mended = Date.now();
    await until(() => followers.every((each) => each.kinds().includes('resync')));
    process.stdout.write(`(back after ${Date.now() - mended} ms) `);
    for (const each of followers) each.clear();
    announce(there.db, { kind: 'status', chatId });
    await until(() => followers.every((each) => each.kinds().includes('status')));
    assert.ok(there.service.live.isFollowed(chatId));
    for (const each of followers) each.leave();
  });
}

test.run();
