import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Db } from '../../db/client.ts';
import { sumDaysOnce, sweepOnce, sweepWorkOnce } from '../../server/sweeps.ts';
import { playAgent, startWithoutAgents } from '../support/chat-fixtures.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { notifyPeople } from '../support/notification-fixtures.ts';
import { brief, recordedEvents } from '../support/recorded-events.ts';
import { keptDays, sweep } from '../support/sweeps.ts';
import { until } from '../support/until.ts';

const test = suite('what is kept for a time');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after(() => tandem.close());

/** A chat whose agent has answered, or is at work when `isOpen`, as it is `days` after its last message. */
async function oldChat(workspace: TestWorkspace, days: number, isOpen = false): Promise<string> {
  const { call, workspaceId } = workspace;
  const { body: chat } = await call('POST /chats', { message: 'What is due?' });
  if (!isOpen) await playAgent(tandem, workspaceId, chat.id).finish('Nothing.');
  await age(workspace, chat.id, days);
  return chat.id;
}

function age({ workspaceId }: TestWorkspace, chatId: string, days: number) {
  const text = `update chats set last_message_at = now() - make_interval(days => $3), updated_at = now() - make_interval(days => $3)
    where workspace_id = $1 and id = $2`;
  return tandem.db.rows(text, [workspaceId, chatId, days]);
}

const stateOf = async ({ call }: TestWorkspace, chatId: string) => {
  const { status, body } = await call(`GET /chats/${chatId}`);
  return status === 404 ? 'erased' : body.isArchived ? 'archived' : 'active';
};
const eventsOf = async ({ workspaceId }: TestWorkspace, chatId: string) =>
  (await recordedEvents(tandem, workspaceId)).map(brief).filter(([, id]) => id === chatId);

test('chats are kept for ever without a setting', async () => {
  const workspace = await tandem.workspace();
  const chatId = await oldChat(workspace, 4000);
  await sweep(tandem.db);
  assert.is(await stateOf(workspace, chatId), 'active');
});

test('a chat without a message for so many days is archived with its event, one at work or changed since is not', async () => {
  const workspace = await tandem.workspace();
  const [old, young, open, renamed] = [
    await oldChat(workspace, 31),
    await oldChat(workspace, 29),
    await oldChat(workspace, 31, true),
    await oldChat(workspace, 31),
  ];
  await workspace.call(`PATCH /chats/${renamed}`, { title: 'Kept' });
  await sweep(tandem.db, { archiveDays: 30 });
  const states = await Promise.all([old, young, open, renamed].map((id) => stateOf(workspace, id)));
  assert.equal(states, ['archived', 'active', 'active', 'active']);
  assert.equal((await eventsOf(workspace, old)).at(-1), ['chat.archived', old, 'isArchived']);
  const archived = (await recordedEvents(tandem, workspace.workspaceId)).at(-1);
  assert.is(archived?.actorType, 'service');
});

test('a chat that was restored is not archived again at once', async () => {
  const workspace = await tandem.workspace();
  const chatId = await oldChat(workspace, 31);
  await sweep(tandem.db, { archiveDays: 30 });
  await workspace.call(`POST /chats/${chatId}/restore`);
  await sweep(tandem.db, { archiveDays: 30 });
  assert.is(await stateOf(workspace, chatId), 'active');
});

test('archived chats are erased after so many days with all messages, active ones are not', async () => {
  const workspace = await tandem.workspace();
  const [archived, active] = [await oldChat(workspace, 91), await oldChat(workspace, 91)];
  await workspace.call(`DELETE /chats/${archived}`);
  await sweep(tandem.db, { erasureDays: 90 });
  assert.is(await stateOf(workspace, archived), 'archived', 'it was archived only now');
  await age(workspace, archived, 91);
  await sweep(tandem.db, { erasureDays: 90 });
  assert.is(await stateOf(workspace, archived), 'erased');
  assert.is(await stateOf(workspace, active), 'active');
  assert.equal((await eventsOf(workspace, archived)).at(-1), ['chat.deleted', archived]);
  const count = 'select count(*)::int as n from messages where workspace_id = $1 and chat_id = $2';
  assert.equal(await tandem.db.rows(count, [workspace.workspaceId, archived]), [{ n: 0 }]);
});

test('more chats than one read are all archived', async () => {
  const workspace = await tandem.workspace();
  const fill = `insert into chats (workspace_id, id, status, last_message_at, updated_at)
    select $1, gen_random_uuid(), 'completed', now() - interval '40 days', now() - interval '40 days'
    from generate_series(1, 230)`;
  await tandem.db.rows(fill, [workspace.workspaceId]);
  await sweep(tandem.db, { archiveDays: 30 });
  const left = 'select count(*)::int as n from chats where workspace_id = $1 and archived_at is null';
  assert.equal(await tandem.db.rows(left, [workspace.workspaceId]), [{ n: 0 }]);
});

test('an email that no process sends has failed after three days, and is no work any more', async () => {
  const { workspaceId, userId } = await tandem.workspace();
  const ageOf = `update notifications set created_at = now() - make_interval(hours => $3) where workspace_id = $1 and id = $2`;
  const ids: string[] = [];
  for (const hours of [74, 72]) {
    await notifyPeople(tandem.db, workspaceId, [userId], { sends: true });
    const pending = `select id from notifications where workspace_id = $1 and not id = any($2::uuid[])`;
    const [{ id }] = (await tandem.db.rows<{ id: string }>(pending, [workspaceId, ids])) as [{ id: string }];
    await tandem.db.rows(ageOf, [workspaceId, id, hours]);
    ids.push(id);
  }
  await sweep(tandem.db);
  const text = `select email, email_due_at is null as "isOver" from notifications where workspace_id = $1 order by created_at`;
  assert.equal(await tandem.db.rows(text, [workspaceId]), [
    { email: 'failed', isOver: true },
    { email: 'pending', isOver: false },
  ]);
  const last = (await recordedEvents(tandem, workspaceId)).map(brief).at(-1);
  assert.equal(last, ['notification.updated', ids[0], 'letterStatus']);
});

test('old notifications of one workspace are deleted where the log of another one is locked', async () => {
  const [locked, other] = [await tandem.workspace(), await tandem.workspace()];
  for (const { workspaceId, userId } of [locked, other]) {
    await notifyPeople(tandem.db, workspaceId, [userId]);
    const age = `update notifications set created_at = now() - interval '200 days' where workspace_id = $1`;
    await tandem.db.rows(age, [workspaceId]);
    await tandem.db.rows('insert into event_positions (workspace_id) values ($1) on conflict do nothing', [
      workspaceId,
    ]);
  }
  const count = async ({ workspaceId }: TestWorkspace) =>
    (await tandem.db.rows('select from notifications where workspace_id = $1', [workspaceId])).length;
  await tandem.db.transaction(async (tx) => {
    await tx.rows(`select set_config('idle_in_transaction_session_timeout', '0', true)`, []);
    await tx.rows('select 1 from event_positions where workspace_id = $1 for update', [locked.workspaceId]);
    const error = await sweep(tandem.db.for('maintenance')).catch((thrown: unknown) => thrown);
    assert.instance(error, AggregateError);
    assert.equal([await count(locked), await count(other)], [1, 0]);
  });
  await sweep(tandem.db);
  assert.is(await count(locked), 0);
});

test('what is locked in one workspace does not stop the sweep of the others', async () => {
  const [locked, other] = [await tandem.workspace(), await tandem.workspace()];
  const [first, second] = [await oldChat(locked, 31), await oldChat(other, 31)];
  await tandem.db.transaction(async (tx) => {
    await tx.rows(`select set_config('idle_in_transaction_session_timeout', '0', true)`, []);
    await tx.rows('select 1 from chats where workspace_id = $1 and id = $2 for update', [locked.workspaceId, first]);
    // Its connections wait two seconds for a lock.
    const error = await sweep(tandem.db.for('maintenance'), { archiveDays: 30 }).catch((thrown: unknown) => thrown);
    assert.instance(error, AggregateError);
    assert.is(await stateOf(other, second), 'archived');
  });
  await sweep(tandem.db, { archiveDays: 30 });
  assert.is(await stateOf(locked, first), 'archived');
});

test('one of several processes deletes what has expired, and another one half an hour later', async () => {
  await tandem.db.rows('delete from sweeps', []);
  const begun = await Promise.all(Array.from({ length: 4 }, () => sweepOnce(tandem.db, keptDays)));
  assert.is(begun.filter(Boolean).length, 1);
  assert.not.ok(await sweepOnce(tandem.db, keptDays));
  await tandem.db.rows(`update sweeps set begun_at = now() - interval '31 minutes'`, []);
  assert.ok(await sweepOnce(tandem.db, keptDays));
});

test('traces of work are deleted once a day, and half an hour after a failure', async () => {
  await tandem.db.rows('delete from sweeps', []);
  const begun = await Promise.all([1, 2, 3].map(() => sweepWorkOnce(tandem.db, keptDays)));
  assert.is(begun.filter(Boolean).length, 1);
  const begin = (age: string) => tandem.db.rows(`update sweeps set begun_at = now() - $1::interval`, [age]);
  await begin('23 hours');
  assert.not.ok(await sweepWorkOnce(tandem.db, keptDays));
  await begin('24 hours');
  const rows: Db['rows'] = (text, values) =>
    text.includes('from workspaces') ? Promise.reject(new Error('no connection')) : tandem.db.rows(text, values);
  const failing = sweepWorkOnce({ ...tandem.db, rows } as Db, { ...keptDays, runDays: 1 });
  assert.instance(await failing.catch((error: unknown) => error), Error);
  assert.not.ok(await sweepWorkOnce(tandem.db, keptDays));
  await tandem.db.rows(`update sweeps set begun_at = begun_at - interval '31 minutes'`, []);
  assert.ok(await sweepWorkOnce(tandem.db, keptDays));
});

test('the minutes of days that are over are summed up by one process, and those entered since a day later', async () => {
  await tandem.db.rows('delete from sweeps', []);
  const { workspaceId } = await tandem.workspace();
  const enter = `insert into minute_entries (workspace_id, id, kind, minutes, trigger, created_at)
    values ($1, gen_random_uuid(), 'capture', -1, 'capture', now() - make_interval(days => $2))`;
  const days = async () =>
    (await tandem.db.rows('select from minute_days where workspace_id = $1', [workspaceId])).length;
  await tandem.db.rows(enter, [workspaceId, 3]);
  const begun = await Promise.all([1, 2, 3].map(() => sumDaysOnce(tandem.db)));
  assert.equal([begun.filter(Boolean).length, await days()], [1, 1]);
  await tandem.db.rows(enter, [workspaceId, 5]);
  const age = `update sweeps set begun_at = now() - interval '31 minutes', swept_until = swept_until - $1::interval`;
  await tandem.db.rows(age, ['0 days']);
  assert.ok(await sumDaysOnce(tandem.db));
  assert.is(await days(), 1);
  await tandem.db.rows(age, ['1 day']);
  assert.ok(await sumDaysOnce(tandem.db));
  assert.is(await days(), 2);
});

test('a sweep that takes longer than half an hour is not begun again meanwhile', async () => {
  await tandem.db.rows('delete from sweeps', []);
  const isAt = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  const rows: Db['rows'] = async (text, values) => {
    if (text.includes('delete from password_resets')) {
      isAt.resolve();
      await free.promise;
    }
    return tandem.db.rows(text, values);
  };
  const transaction: Db['transaction'] = (work, first) => tandem.db.transaction(work, first);
  const slow = sweepOnce({ ...tandem.db, rows, transaction } as Db, keptDays, 20);
  await isAt.promise;
  await tandem.db.rows(`update sweeps set begun_at = now() - interval '40 minutes'`, []);
  const fresh = `select from sweeps where begun_at > now() - interval '1 minute'`;
  await until(async () => (await tandem.db.rows(fresh, [])).length === 1);
  assert.not.ok(await sweepOnce(tandem.db, keptDays));
  free.resolve();
  assert.ok(await slow);
});

test.run();
