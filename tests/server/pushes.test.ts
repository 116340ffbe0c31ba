import { createSecretKey } from 'node:crypto';
import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sharedSecrets } from '../../db/seed.ts';
import { notify } from '../../domain/notifications/notify.ts';
import { vapidKeyOf } from '../../domain/push/vapid.ts';
import { publicClient } from '../../outbound/public.ts';
import type { PushClaim } from '../../server/workers/push/claims.ts';
import { pushWorker } from '../../server/workers/push/worker.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { hold, holdRow, releaseAll, untilAllBlocked, untilBlocked } from '../support/locks.ts';
import { callsOf, newAccount, type Person, password } from '../support/people.ts';
import { type PushBrowser, startPushService } from '../support/push-service.ts';
import { until } from '../support/until.ts';
import { loopback } from '../support/webhook-world.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = suite('notifications in browsers');
let tandem: TestService;
let pushes: Awaited<ReturnType<typeof startPushService>>;
let applicationServerKey = '';

test.before(async () => {
  tandem = await startTestService(loopback);
  pushes = await startPushService(() => applicationServerKey);
});
test.after.each(releaseAll);
test.after(async () => {
  await tandem.close();
  await pushes.close();
});

type Call = TestWorkspace['call'];

/** A person with a browser that gets notifications. */
async function subscribed(name = 'Ada') {
  const person = await newAccount(tandem, { name });
  const call = callsOf(tandem, person);
  ({ applicationServerKey } = bodyOf(await call('GET /notifications/push-subscriptions')));
  const browser = pushes.browser();
  const { id } = bodyOf(await call('POST /notifications/push-subscriptions', browser.subscription), 201);
  return { person, call, browser, id: id as string };
}

/** Notifies a person, as the verbs do. */
async function happen({ session }: Person, more: Partial<Parameters<typeof notify>[1]> = {}) {
  const context = { db: tandem.db, clock: () => new Date(), mail: { sends: false } };
  await tandem.db.transaction((db) =>
    notify(
      { ...context, db },
      {
        workspaceId: session.workspace.id,
        userIds: [session.user.id],
        kind: 'approval_requested',
        title: 'Scout asks for approval: Archive a todo',
        text: 'It is done.',
        chatId: '019ca8c7-da00-7ba5-8e1f-5a0c3d9b7e42',
        dedupe: crypto.randomUUID(),
        ...more,
      },
    ),
  );
}

const waiting = async ({ session }: Person): Promise<number> => {
  const text = 'select count(*)::int as count from push_deliveries where workspace_id = $1';
  return (await tandem.db.rows<{ count: number }>(text, [session.workspace.id]))[0]?.count ?? 0;
};

const untilSettled = (person: Person) => until(async () => (await waiting(person)) === 0);

const browsersOf = async (call: Call): Promise<unknown[]> =>
  bodyOf(await call('GET /notifications/push-subscriptions')).data;

test('a browser that is added while its session ends gets nothing', async () => {
  const { browser, id } = await subscribed();
  const ada = await newAccount(tandem);
  // Adding it waits here, behind its checks: it is a browser of somebody else first.
  const held = await holdRow('push_subscriptions', id);
  const adding = callsOf(tandem, ada)('POST /notifications/push-subscriptions', browser.subscription);
  await untilAllBlocked(1, 'delete from push_subscriptions%');
  const signingOut = callsOf(tandem, ada)('DELETE /auth/sessions/current');
  await untilBlocked('update credentials%', signingOut);
  await held.release();
  assert.equal([(await adding).status, (await signingOut).status], [201, 200]);
  const of = 'select 1 from push_subscriptions where workspace_id = $1';
  assert.equal(await tandem.db.rows(of, [ada.session.workspace.id]), []);
});

test('a browser that is being removed keeps nobody from being notified', async () => {
  const { person, call, id } = await subscribed();
  const other = pushes.browser();
  bodyOf(await call('POST /notifications/push-subscriptions', other.subscription), 201);
  const held = await hold('delete from push_subscriptions where id = $1', [id]);
  await happen(person);
  await held.release();
  assert.is((await other.messages(1)).length, 1);
  await untilSettled(person);
  assert.is(bodyOf(await call('GET /notifications')).data.length, 1);
});

test('a request for approval arrives encrypted, with its page and a tag; one that is repeated arrives once', async () => {
  const { person, call, browser } = await subscribed();
  const dedupe = 'approvals:1';
  await happen(person, { dedupe });
  await happen(person, { dedupe });
  const [pushed] = await browser.messages(1);
  await untilSettled(person);
  const { data } = bodyOf(await call('GET /notifications'));
  assert.equal(pushed?.message, {
    title: 'Scout asks for approval: Archive a todo',
    body: 'It is done.',
    tag: data[0].id,
    url: `${data[0].url}?workspace=${person.session.workspace.id}`,
    kind: 'approval_requested',
    workspaceId: person.session.workspace.id,
  });
  const { headers } = pushed ?? {};
  assert.equal(
    [headers?.['content-encoding'], headers?.ttl, headers?.urgency, headers?.topic?.length],
    ['aes128gcm', '86400', 'high', 32],
  );
  assert.is(browser.received.length, 1);
});

test('a comment that mentions a person arrives, without its text', async () => {
  const { person, call, browser } = await subscribed('Grace');
  const { id } = bodyOf(await call('POST /todos', { title: 'Ship it' }), 201);
  await happen(person, { kind: 'mentioned', title: 'Ada mentions you in “Ship it”', text: 'Open it.', todoId: id });
  const [pushed] = await browser.messages(1);
  assert.is(new URL(pushed?.message.url).pathname, `/todos/${id}`);
});

test('other kinds, and those that were switched off, are not sent', async () => {
  const { person, call, browser } = await subscribed();
  const settings = bodyOf(await call('PATCH /notifications/settings', { kinds: { mentioned: { push: false } } }));
  assert.equal(settings.kinds.mentioned, { inApp: true, email: true, push: false });
  assert.equal(settings.kinds.approval_requested, { inApp: true, email: true, push: true });
  assert.is('push' in settings.kinds.todo_due, false);
  const refused = await call('PATCH /notifications/settings', { kinds: { todo_due: { push: true } } });
  assert.is(refused.status, 400);
  await happen(person, { kind: 'mentioned' });
  await happen(person, { kind: 'todo_due' });
  await happen(person);
  await browser.messages(1);
  await untilSettled(person);
  assert.equal(
    browser.received.map(({ message }) => message.kind),
    ['approval_requested'],
  );
});

test('a browser that is gone is removed, and one that is refused is not asked again', async () => {
  for (const status of [404, 410]) {
    const { person, call, browser } = await subscribed();
    browser.answer = status;
    await happen(person);
    await until(async () => (await browsersOf(call)).length === 0);
    assert.is(await waiting(person), 0);
  }
  const { person, call, browser } = await subscribed();
  browser.answer = 400;
  await happen(person);
  await until(() => browser.requests === 1);
  await untilSettled(person);
  assert.is((await browsersOf(call)).length, 1);
});

test('a browser whose address cannot be decrypted any more is removed', async () => {
  const { person, call, browser } = await subscribed();
  // As after the key of the service was replaced.
  const change = `update push_subscriptions set destination = destination || '\\x00' where workspace_id = $1`;
  await tandem.db.rows(change, [person.session.workspace.id]);
  await happen(person);
  await until(async () => (await browsersOf(call)).length === 0);
  assert.equal([await waiting(person), browser.requests], [0, 0]);
});

test('what a push service could not take is sent again later, once', async () => {
  const { person, browser } = await subscribed();
  browser.answer = 503;
  await happen(person);
  await until(() => browser.requests === 1);
  browser.answer = 201;
  const soon = 'update push_deliveries set due_at = now() where workspace_id = $1 and attempt = 1 and due_at > now()';
  await until(async () => {
    await tandem.db.rows(soon, [person.session.workspace.id]);
    return browser.received.length > 0;
  });
  await untilSettled(person);
  assert.equal([browser.requests, browser.received.length], [2, 1]);
});

test('a message that finds no place in the process is sent later, and that was no try', async () => {
  const { person, browser } = await subscribed();
  const workspaceId = person.session.workspace.id;
  browser.answer = 503;
  await happen(person);
  await until(() => browser.requests === 1);
  // Taken from the worker of the service, which saves nothing more.
  const take = `update push_deliveries t set attempt = 4, due_at = now() + interval '1 hour' from push_subscriptions p
    where t.workspace_id = $1 and p.workspace_id = $1 and p.id = t.subscription_id returning t.workspace_id as "workspaceId",
      t.notification_id as "notificationId", t.subscription_id as "subscriptionId", p.destination, t.attempt, true as "isWanted"`;
  const [claim] = await tandem.db.rows<PushClaim>(take, [workspaceId]);
  assert.ok(claim);
  const { push, vapid } = await sharedSecrets(tandem.db, ['push', 'vapid']);
  const service = { publicUrl: tandem.url, push: { key: createSecretKey(push), vapid: vapidKeyOf(vapid) } };
  const parts = { db: tandem.db, log: pino({ level: 'silent' }), service };
  const { handle, measures } = pushWorker({ ...parts, send: publicClient(['127.0.0.1'], { maxInFlight: 0 }) });
  const pauses: number[] = [];
  const job = { signal: new AbortController().signal, check: () => {}, wakeIn: (ms: number) => void pauses.push(ms) };
  browser.answer = 201;
  await handle(
    { ...claim, kind: 'mentioned', title: 'Ada', text: '', todoId: null, chatId: null, approvalId: null },
    job,
  );
  const returned = `update push_deliveries set due_at = now() where workspace_id = $1 and attempt = 3
    and due_at < now() + interval '1 minute' returning 1`;
  assert.is((await tandem.db.rows(returned, [workspaceId])).length, 1);
  assert.equal([pauses, measures.map(({ read }) => read())], [[5000], [0, 0]]);
  await untilSettled(person);
  assert.equal([browser.requests, browser.received.length], [2, 1]);
});

test('what was read meanwhile is not sent', async () => {
  const { person, call, browser } = await subscribed();
  browser.answer = 503;
  await happen(person);
  await until(() => browser.requests === 1);
  bodyOf(await call('POST /notifications/read', {}));
  browser.answer = 201;
  await until(async () => {
    await tandem.db.rows('update push_deliveries set due_at = now() where workspace_id = $1 and due_at > now()', [
      person.session.workspace.id,
    ]);
    return (await waiting(person)) === 0;
  });
  assert.is(browser.received.length, 0);
});

const subscribe = (call: Call, { subscription }: PushBrowser) =>
  call('POST /notifications/push-subscriptions', subscription);

test('the same browser is one subscription, of the person who used it last', async () => {
  const { person, call, browser, id } = await subscribed();
  assert.is(bodyOf(await subscribe(call, browser), 201).id, id);
  const other = await newAccount(tandem, { name: 'Grace' });
  bodyOf(await subscribe(callsOf(tandem, other), browser), 201);
  assert.equal(await browsersOf(call), []);
  await happen(person);
  await happen(other, { title: 'For Grace' });
  const [pushed] = await browser.messages(1);
  await untilSettled(person);
  assert.equal([pushed?.message.title, browser.received.length], ['For Grace', 1]);
});

const text = 'select count(*)::int as count from push_subscriptions where user_id = $1';
const countOf = async ({ session }: Person) =>
  (await tandem.db.rows<{ count: number }>(text, [session.user.id]))[0]?.count;

/** The person signs in anew, as after a session that expired. */
async function signedInAnew({ email }: Person): Promise<{ id: string; call: Call }> {
  const { id, token: key } = bodyOf(await tandem.call('POST /auth/sessions', { email, password }), 201);
  return { id, call: (route, body) => tandem.call(route, body, { key }) };
}

test('signing out removes the browser of the session; another workspace takes it along', async () => {
  const { person } = await subscribed();
  const own = callsOf(tandem, person);
  const { id } = bodyOf(await own('POST /workspaces', { name: 'Second' }), 201);
  const moved = bodyOf(await own('POST /auth/sessions/current/workspace', { workspaceId: id }), 201);
  assert.is(await countOf(person), 1);
  const { token: key } = moved;
  bodyOf(await tandem.call('DELETE /auth/sessions/current', undefined, { key }));
  assert.is(await countOf(person), 0);
});

test('ending a session removes the browsers that it took over, in all workspaces, and no others', async () => {
  const { person, browser } = await subscribed();
  const own = callsOf(tandem, person);
  bodyOf(await subscribe(own, pushes.browser()), 201);
  const { id } = bodyOf(await own('POST /workspaces', { name: 'Second' }), 201);
  const { token: key } = bodyOf(await own('POST /auth/sessions/current/workspace', { workspaceId: id }), 201);
  bodyOf(await subscribe((route, body) => tandem.call(route, body, { key }), browser), 201);
  assert.is(await countOf(person), 3);

  const [next, last] = [await signedInAnew(person), await signedInAnew(person)];
  bodyOf(await subscribe(next.call, browser), 201);
  bodyOf(await last.call(`DELETE /auth/sessions/${next.id}`));
  assert.is(await countOf(person), 1);

  bodyOf(await subscribe(last.call, browser), 201);
  bodyOf(await last.call('DELETE /auth/sessions'));
  assert.is((await browsersOf(last.call)).length, 1);
  assert.is(await countOf(person), 1);
});

test('the browsers of a member who was removed get nothing when the person is back', async () => {
  const owner = await newAccount(tandem);
  const { workspace } = owner.session;
  const asOwner = callsOf(tandem, owner);
  const { person, call, browser } = await subscribed();
  const { email, session } = person;
  const invited = await asOwner(`POST /workspaces/${workspace.id}/invitations`, { email, anyoneWithLink: true });
  const invitationToken = /#token=([\w-]+)/.exec(bodyOf(invited, 201).link)?.[1];
  bodyOf(await call('POST /auth/invitations/accept', { invitationToken }));
  const moved = bodyOf(await call('POST /auth/sessions/current/workspace', { workspaceId: workspace.id }), 201);
  const there: Call = (route, body) => tandem.call(route, body, { key: moved.token });
  bodyOf(await subscribe(there, browser), 201);

  const text = 'select workspace_id as "workspaceId" from push_subscriptions where user_id = $1';
  assert.is((await tandem.db.rows(text, [session.user.id])).length, 2);
  bodyOf(await asOwner(`DELETE /workspaces/${workspace.id}/members/${session.user.id}`));
  assert.equal(await tandem.db.rows(text, [session.user.id]), [], 'its session was ended in both');
});

test('addresses of private networks and keys that are none are refused', async () => {
  const { call, browser } = await subscribed();
  const { keys } = browser.subscription;
  const paramOf = async (body: object) => {
    const answer = await call('POST /notifications/push-subscriptions', body);
    return [answer.status, answer.body.errors?.[0]?.param];
  };
  for (const endpoint of ['https://10.0.0.1/a', 'http://push.example.com/a', 'https://localhost/a', 'ftp://a.example'])
    assert.equal(await paramOf({ endpoint, keys }), [400, 'endpoint'], endpoint);
  const { endpoint } = browser.subscription;
  assert.equal(await paramOf({ endpoint, keys: { ...keys, p256dh: 'AAAA' } }), [400, 'keys.p256dh']);
  assert.equal(await paramOf({ endpoint, keys: { ...keys, auth: 'AAAA' } }), [400, 'keys.auth']);
});

test('the endpoint and the keys are encrypted where they are stored', async () => {
  const { person, browser } = await subscribed();
  const text = 'select destination from push_subscriptions where workspace_id = $1';
  const [row] = await tandem.db.rows<{ destination: Buffer }>(text, [person.session.workspace.id]);
  assert.not.match(row?.destination.toString('latin1') ?? '', browser.subscription.endpoint);
  assert.ok((row?.destination.length ?? 0) > 100);
});

test.run();
