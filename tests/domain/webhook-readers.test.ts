import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSession } from '../../domain/accounts/open-session.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = suite('who sees what was sent to an endpoint');
let tandem: TestService;
test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

interface Delivery {
  id: string;
  eventId: string;
  type: string;
}

/** What a person changes that nobody else sees. */
const personal = [
  'notification_settings.updated',
  'reminder.created',
  'reminder.deleted',
  'snooze.created',
  'view.created',
];

/** An endpoint for all events, of a person who then made changes for themselves; and another member. */
async function sentToAda() {
  const { workspaceId, call, session, member } = await tandem.workspace();
  const another = { workspaceId, userId: await member(), client: 'test' };
  const keys = { ada: await session(), ben: (await openSession(tandem.db, another)).token };
  const as = (key: string) => (route: string, body?: unknown) => call(route, body, { key });
  const [ada, ben] = [as(keys.ada), as(keys.ben)];
  const key: typeof ada = (route, body) => call(route, body);
  const { id } = bodyOf(await ada('POST /webhook-endpoints', { url: 'https://hooks.invalid/', types: ['*'] }), 201);
  const todo = bodyOf(await ada('POST /todos', { title: 'Pay the rent', dueDate: '2099-01-01' }), 201);
  const reminder = bodyOf(await ada(`POST /todos/${todo.id}/reminders`, { daysBefore: 1 }), 201);
  bodyOf(await ada(`DELETE /todos/${todo.id}/reminders/${reminder.id}`));
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  bodyOf(await ada('POST /snoozes', { subjectType: 'todo', subjectId: todo.id, until: tomorrow }), 201);
  bodyOf(await ada('POST /views', { name: 'Mine', query: {} }), 201);
  bodyOf(await ada('POST /views', { name: 'Ours', isShared: true, query: {} }), 201);
  bodyOf(await ada('PATCH /notifications/settings', { kinds: { todo_due: { email: false } } }));
  const path = `/webhook-endpoints/${id}/deliveries`;
  const list = async (caller: typeof ada): Promise<Delivery[]> => {
    const { data } = bodyOf(await caller(`GET ${path}?limit=100`));
    return data.map(({ id, eventId, type }: Delivery) => ({ id, eventId, type }));
  };
  await until(async () => (await list(ada)).some(({ type }) => type === 'notification_settings.updated'));
  return { workspaceId, ada, ben, key, path, list };
}

test('who may see an endpoint sees the deliveries of the events that they may read, and no others', async () => {
  const { ada, ben, key, path, list } = await sentToAda();
  const all = await list(ada);
  const typesOf = (deliveries: Delivery[]) => deliveries.map(({ type }) => type);
  assert.equal(
    [...personal, 'webhook_endpoint.created'].filter((type) => !typesOf(all).includes(type)),
    [],
  );
  for (const caller of [ben, key]) {
    const { data: events } = bodyOf(await caller('GET /events?limit=500&afterSequence=0'));
    const readable = new Set(events.map(({ id }: { id: string }) => id));
    const theirs = await list(caller);
    assert.equal(
      theirs,
      all.filter(({ eventId }) => readable.has(eventId)),
    );
    assert.ok(theirs.length < all.length && typesOf(theirs).includes('view.created'), 'a shared view');
    for (const { id, eventId } of all) {
      const [read, sent] = readable.has(eventId) ? [200, 202] : [404, 404];
      assert.is((await caller(`GET ${path}/${id}`)).status, read);
      assert.is((await caller(`POST ${path}/${id}/redeliver`)).status, sent);
      assert.is((await ada(`GET ${path}/${id}`)).status, 200);
    }
    const newest = async (whose: typeof ada) => bodyOf(await whose('GET /webhook-endpoints')).data[0].lastDelivery;
    assert.is((await newest(ada)).type, 'notification_settings.updated');
    assert.is(await newest(caller), null);
  }
});

test('a test of an endpoint is seen by all', async () => {
  const { ada, ben, key, path, list } = await sentToAda();
  const { id } = bodyOf(await ada(`POST ${path.replace('deliveries', 'test')}`), 202);
  for (const caller of [ben, key]) {
    assert.ok((await list(caller)).some((each) => each.id === id));
    assert.is((await caller(`GET ${path}/${id}`)).status, 200);
  }
});

test('also once the events are no longer in the log', async () => {
  const { workspaceId, ada, ben, list } = await sentToAda();
  const all = await list(ada);
  await tandem.db.rows('delete from events where workspace_id = $1', [workspaceId]);
  assert.equal(await list(ada), all);
  assert.equal(
    (await list(ben)).filter(({ type }) => personal.includes(type)),
    [],
  );
});

test('an event of one person alone is theirs whatever its kind', async () => {
  const { workspaceId, ada, ben, path, list } = await sentToAda();
  const of = (deliveries: Delivery[]) => deliveries.find(({ type }) => type === 'todo.created');
  const created = of(await list(ben));
  assert.ok(created);
  const mine = `update events set reader_id = (select user_id from webhook_endpoints where workspace_id = $1) where workspace_id = $1 and id = $2`;
  await tandem.db.rows(mine, [workspaceId, created.eventId]);
  assert.is(of(await list(ben)), undefined);
  assert.is((await ben(`GET ${path}/${created.id}`)).status, 404);
  assert.equal(of(await list(ada)), created);
});

test.run();
