import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSession } from '../../domain/accounts/open-session.ts';
import { scopes } from '../../domain/scopes.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { loopbackHosts } from '../support/listener.ts';
import { sweep } from '../support/sweeps.ts';
import { until } from '../support/until.ts';

const test = suite('webhook endpoints');
let tandem: TestService;
test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const url = 'https://hooks.invalid/tandem?from=tandem';
const types = ['todo.completed', 'todo.created'];
const unknown = '019ca8c7-da00-7ba5-8e1f-5a0c3d9b7e42';

test('an endpoint is created with a secret that is shown once, read, listed and deleted', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const made = await call('POST /webhook-endpoints', { url, types: [...types, 'todo.created'], description: 'Books' });
  assert.is(made.status, 201);
  const { id, secret, createdAt, updatedAt, apiKeyId, ...rest } = made.body;
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(rest, {
    object: 'webhook_endpoint',
    url,
    description: 'Books',
    types,
    enabled: true,
    ordered: false,
    disabledReason: null,
    disabledAt: null,
    failingSince: null,
    userId: workspace.userId,
    previousSecretExpiresAt: null,
  });
  assert.is(apiKeyId, (await call('GET /me')).body.credential.id);
  const read = await call(`GET /webhook-endpoints/${id}`);
  assert.equal(read.body, { id, createdAt, updatedAt, apiKeyId, ...rest });
  assert.equal((await call('GET /webhook-endpoints')).body.data, [{ ...read.body, lastDelivery: null }]);
  const gone = await call(`DELETE /webhook-endpoints/${id}`);
  assert.equal(gone.body, { object: 'deleted', id, deleted: true, recoverable: false });
  assert.is((await call(`GET /webhook-endpoints/${id}`)).status, 404);
});

test('a deleted endpoint is gone at once, and the sweep deletes its deliveries, however many they are', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const { id } = (await call('POST /webhook-endpoints', { url, types })).body;
  const many = 7000;
  const fill = `with d as (
      insert into webhook_deliveries (workspace_id, id, endpoint_id, event_id, type, due_at)
      select $1, gen_random_uuid(), $2, gen_random_uuid(), 'webhook.test', now() + interval '1 day'
      from generate_series(1, ${many}) returning workspace_id, id
    ) insert into webhook_attempts (workspace_id, delivery_id, id, url, request_headers, request_body, duration_ms, sent_at)
      select workspace_id, id, gen_random_uuid(), 'https://hooks.invalid/', '{}', '{}', 1, now() from d`;
  await tandem.db.rows(fill, [workspaceId, id]);
  const stored = async () => {
    const count = (table: string) => `(select count(*)::int from ${table} where workspace_id = $1) as ${table}`;
    const tables = ['webhook_endpoints', 'webhook_deliveries', 'webhook_attempts'];
    const [row] = await tandem.db.rows<Record<string, number>>(`select ${tables.map(count).join(', ')}`, [workspaceId]);
    return tables.map((table) => row?.[table]);
  };
  assert.is((await call(`DELETE /webhook-endpoints/${id}`)).status, 200);
  assert.equal(await stored(), [1, many, many], 'the request waits for none of them');
  for (const route of ['', '/deliveries']) {
    assert.is((await call(`GET /webhook-endpoints/${id}${route}`)).status, 404, route);
  }
  assert.is((await call(`DELETE /webhook-endpoints/${id}`)).status, 404);
  assert.equal((await call('GET /webhook-endpoints')).body.data, []);
  await tandem.db.rows(`update webhook_endpoints set expires_at = now() - interval '2 hours' where id = $1`, [id]);
  await sweep(tandem.db);
  assert.equal(await stored(), [0, 0, 0]);
});

test('secrets are stored encrypted, for one endpoint, and rotation returns a new one', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const { body: made } = await call('POST /webhook-endpoints', { url, types });
  const text = 'select secret, previous_secret as previous from webhook_endpoints where workspace_id = $1';
  const [before] = await tandem.db.rows<{ secret: Buffer; previous: Buffer | null }>(text, [workspaceId]);
  const plain = Buffer.from(made.secret.slice('whsec_'.length), 'base64');
  assert.is(plain.length, 32);
  assert.not(before?.secret.includes(plain));
  assert.is(before?.previous, null);
  const rotated = await call(`POST /webhook-endpoints/${made.id}/rotate-secret`);
  assert.is(rotated.status, 200);
  assert.is.not(rotated.body.secret, made.secret);
  assert.ok(Date.parse(rotated.body.previousSecretExpiresAt) > Date.now() + 23 * 3_600_000);
  const [after] = await tandem.db.rows<{ secret: Buffer; previous: Buffer | null }>(text, [workspaceId]);
  assert.equal(after?.previous, before?.secret);
});

test('an update changes what it names; nothing changes without a change, and If-Match guards it', async () => {
  const { call } = await tandem.workspace();
  const { body: made } = await call('POST /webhook-endpoints', { url, types });
  const read = await call(`GET /webhook-endpoints/${made.id}`);
  const etag = read.headers.get('etag') ?? '';
  assert.equal((await call(`PATCH /webhook-endpoints/${made.id}`, { enabled: true })).body, read.body);
  const patch = { ordered: true, enabled: false, description: null, types: ['*'] };
  const changed = await call(`PATCH /webhook-endpoints/${made.id}`, patch, { headers: { 'if-match': etag } });
  assert.is(changed.status, 200);
  const { disabledAt, updatedAt, ...rest } = changed.body;
  assert.ok(disabledAt !== null && updatedAt >= read.body.updatedAt);
  assert.equal({ ...rest, disabledAt: null, updatedAt: read.body.updatedAt }, { ...read.body, ...patch });
  const stale = await call(
    `PATCH /webhook-endpoints/${made.id}`,
    { ordered: false },
    { headers: { 'if-match': etag } },
  );
  assert.is(stale.status, 412);
  const again = await call(`PATCH /webhook-endpoints/${made.id}`, { enabled: true });
  assert.equal([again.body.enabled, again.body.disabledAt], [true, null]);
});

test('who names the same address and types in another order does not take an endpoint over', async () => {
  const { call, userId, workspaceId, member } = await tandem.workspace();
  const { body: made } = await call('POST /webhook-endpoints', { url, types });
  const { token } = await openSession(tandem.db, { workspaceId, userId: await member(), client: 'test' });
  await tandem.db.rows(`update members set role = 'owner' where workspace_id = $1`, [workspaceId]);
  const path = `PATCH /webhook-endpoints/${made.id}`;
  const change = { url, types: types.toReversed(), description: 'Ledger' };
  const { status, body } = await tandem.call(path, change, { key: token });
  assert.equal([status, body.userId, body.types, body.description], [200, userId, types, 'Ledger']);
  const taken = await tandem.call(path, { types: ['todo.created'] }, { key: token });
  assert.is.not(taken.body.userId, userId);
});

test('addresses of private networks in every spelling, and all that is not https, are refused with a sentence, also forbidden ports', async () => {
  const { call } = await tandem.workspace();
  const hosts = [...loopbackHosts, '10.0.0.1', '169.254.169.254', '100.64.0.1', '[fd00::1]', '[fe80::1]', 'localhost'];
  const mapped = ['[::ffff:10.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b::10.0.0.1]', '[2002:7f00:1::]', 'x.localhost'];
  const urls = [...hosts, ...mapped].map((host) => `https://${host}/hook`);
  const others = ['http://example.com/', 'ftp://example.com/', 'example.com', 'https://a:b@example.com/', '/hook', ''];
  const ports = ['https://example.com:22/hook', 'https://8.8.8.8:80/', 'https://example.com:0/'];
  for (const refused of [...urls, ...others, ...ports]) {
    const { status, body } = await call('POST /webhook-endpoints', { url: refused, types });
    assert.equal([status, body.code, body.param], [400, 'validation_failed', 'url'], refused);
    if (refused !== '') assert.match(body.message, /^The address must .+[^.]\.$/, refused);
    if (urls.includes(refused)) assert.match(body.message, 'OUTBOUND_ALLOW');
  }
  const { body: made } = await call('POST /webhook-endpoints', { url, types });
  const moved = await call(`PATCH /webhook-endpoints/${made.id}`, { url: 'https://127.0.0.1/' });
  assert.equal([moved.status, moved.body.param], [400, 'url']);
});

test('types that do not exist, and none, are refused', async () => {
  const { call } = await tandem.workspace();
  for (const wrong of [[], ['todo.exploded'], ['todo.*'], undefined]) {
    const { status, body } = await call('POST /webhook-endpoints', { url, types: wrong });
    assert.equal([status, body.code], [400, 'validation_failed']);
    assert.match(body.param, /^types/);
  }
});

test('a key needs the read scope of every type; what only sessions read is for sessions', async () => {
  const { call, mint, session } = await tandem.workspace();
  const key = await mint(['todos:read', 'captures:write']);
  const ask = (body: object, as: string) => call('POST /webhook-endpoints', { url, ...body }, { key: as });
  assert.is((await ask({ types: ['todo.created', 'schedule.failed'] }, key)).status, 201);
  const lacking = await ask({ types: ['todo.created', 'capture.completed'] }, key);
  assert.equal([lacking.status, lacking.body.code], [403, 'missing_scope']);
  assert.equal(lacking.body.requiredScopes, ['todos:read', 'captures:read']);
  assert.is((await ask({ types: ['*'] }, key)).status, 403);
  const every = await mint(scopes);
  const reserved = await ask({ types: ['member.added'] }, every);
  assert.equal([reserved.status, reserved.body.reason], [403, 'session_required']);
  assert.is((await ask({ types: ['*'] }, every)).status, 201);
  assert.is((await ask({ types: ['member.added', '*'] }, await session())).status, 201);
});

test('a key sees and changes only endpoints whose events it may read', async () => {
  const { call, mint, session } = await tandem.workspace();
  const { body: chats } = await call('POST /webhook-endpoints', { url, types: ['message.created'] });
  const { body: todos } = await call('POST /webhook-endpoints', { url, types });
  const key = await mint(['todos:read']);
  const listed = await call('GET /webhook-endpoints', undefined, { key });
  assert.equal(
    listed.body.data.map(({ id }: { id: string }) => id),
    [todos.id],
  );
  const routes = [
    ['GET', ''],
    ['PATCH', '', { enabled: false }],
    ['DELETE', ''],
    ['POST', '/rotate-secret'],
    ['POST', '/test'],
    ['GET', '/deliveries'],
    ['POST', '/redeliver', { since: '2026-03-01T09:00:00Z' }],
  ] as const;
  for (const [method, path, body] of routes) {
    const { status } = await call(`${method} /webhook-endpoints/${chats.id}${path}`, body, { key });
    assert.is(status, 403, `${method} ${path}`);
  }
  assert.is((await call('GET /webhook-endpoints', undefined, { key: await session() })).body.data.length, 2);
});

test('who changes where it sends what is its owner from then on', async () => {
  const { call, mint } = await tandem.workspace();
  const { body: made } = await call('POST /webhook-endpoints', { url, types });
  const other = { key: await mint(['todos:read']) };
  const described = await call(`PATCH /webhook-endpoints/${made.id}`, { description: 'Mine' }, other);
  assert.is(described.body.apiKeyId, made.apiKeyId);
  const moved = await call(`PATCH /webhook-endpoints/${made.id}`, { url: `${url}&v=2` }, other);
  assert.is(moved.status, 200);
  assert.is.not(moved.body.apiKeyId, made.apiKeyId);
});

test('a workspace has at most 100 endpoints', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const { body: made } = await call('POST /webhook-endpoints', { url, types });
  const copies = `insert into webhook_endpoints (workspace_id, id, user_id, url, types, enabled, ordered, secret, sequence)
    select workspace_id, gen_random_uuid(), user_id, url, types, enabled, ordered, secret, sequence
    from webhook_endpoints, generate_series(2, 100) where workspace_id = $1 and id = $2`;
  await tandem.db.rows(copies, [workspaceId, made.id]);
  const { status, body } = await call('POST /webhook-endpoints', { url, types });
  assert.equal([status, body.code], [409, 'resource_conflict']);
});

test('what is unknown or of another workspace is 404; what is disabled sends nothing', async () => {
  const { call } = await tandem.workspace();
  const other = await tandem.workspace();
  const { body: foreign } = await other.call('POST /webhook-endpoints', { url, types });
  for (const id of [unknown, foreign.id]) {
    for (const route of [`GET /webhook-endpoints/${id}`, `POST /webhook-endpoints/${id}/test`]) {
      const { status, body } = await call(route);
      assert.equal([status, body.param], [404, 'endpointId'], route);
    }
  }
  const { body: made } = await call('POST /webhook-endpoints', { url, types, enabled: false });
  const { status, body } = await call(`POST /webhook-endpoints/${made.id}/test`);
  assert.equal([status, body.reason], [409, 'disabled']);
  const missing = await other.call(`GET /webhook-endpoints/${foreign.id}/deliveries/${unknown}`);
  assert.equal([missing.status, missing.body.param], [404, 'deliveryId']);
});

test('an endpoint that was disabled gets what it missed when that is asked for', async () => {
  const { call } = await tandem.workspace();
  const since = new Date(Date.now() - 60_000).toISOString();
  const { body: made } = await call('POST /webhook-endpoints', { url, types: ['todo.created'] });
  const path = `/webhook-endpoints/${made.id}`;
  const statuses = async (): Promise<string[]> => {
    const { body } = await call(`GET ${path}/deliveries`);
    return body.data.map(({ status }: { status: string }) => status);
  };
  /** Creates a todo, and waits until its event has its place in the log. */
  const create = async (count: number) => {
    await call('POST /todos', { title: 'Pay the rent' });
    await until(async () => (await call('GET /events?types=todo.created')).body.data.length === count);
  };
  await create(1);
  await until(async () => (await statuses()).length === 1);
  await call(`PATCH ${path}`, { enabled: false });
  assert.equal(await statuses(), ['cancelled']);
  await create(2);
  await call(`PATCH ${path}`, { enabled: true });
  await create(3);
  await until(async () => (await statuses()).length === 2);
  assert.equal(await statuses(), ['pending', 'cancelled'], 'not the second one');
  assert.is((await call(`POST ${path}/redeliver`, { since })).status, 202);
  await until(async () => (await statuses()).length === 3);
  assert.equal(await statuses(), ['pending', 'pending', 'pending']);
});

test('its own creation, changes and end are in the log; of what is deleted only ids are left', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const { body: made } = await call('POST /webhook-endpoints', { url, types });
  await call(`PATCH /webhook-endpoints/${made.id}`, { ordered: true });
  await call(`PATCH /webhook-endpoints/${made.id}`, { ordered: true });
  await call(`POST /webhook-endpoints/${made.id}/rotate-secret`);
  const text = `select type, changed_fields as fields from (
      select type, changed_fields, id from events where workspace_id = $1
      union select type, changed_fields, id from event_queue where workspace_id = $1
    ) e where type like 'webhook%' order by id`;
  const changes = await tandem.db.rows<{ type: string; fields: string[] }>(text, [workspaceId]);
  assert.equal(changes, [
    { type: 'webhook_endpoint.created', fields: [] },
    { type: 'webhook_endpoint.updated', fields: ['ordered'] },
    { type: 'webhook_endpoint.updated', fields: ['previousSecretExpiresAt'] },
  ]);
  await call(`DELETE /webhook-endpoints/${made.id}`);
  assert.equal(await tandem.db.rows(text, [workspaceId]), [
    ...changes.map((each) => ({ ...each, fields: [] })),
    { type: 'webhook_endpoint.deleted', fields: [] },
  ]);
});

test.run();
