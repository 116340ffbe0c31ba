import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { operationsOf } from '../../adapters/operations.ts';
import { createApiKey } from '../../db/seed.ts';
import { scopes } from '../../domain/scopes.ts';
import { appRouter } from '../../routers/index.ts';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { newAccount, type Person } from '../support/people.ts';
import { answered } from '../support/until.ts';

const test = suite('API keys');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const as = (person: Person, route: string, body?: unknown): Promise<Answer> =>
  tandem.call(route, body, { key: person.session.token });

const create = (person: Person, more: Record<string, unknown> = {}) =>
  as(person, 'POST /api-keys', {
    workspaceId: person.session.workspace.id,
    name: crypto.randomUUID(),
    scopes: ['todos:read'],
    ...more,
  });

test('the secret is returned once, at creation; afterwards only its prefix and last four characters are', async () => {
  const person = await newAccount(tandem);
  const made = await create(person, {
    name: 'Deploy',
    scopes: ['todos:write', 'todos:read', 'todos:read'],
    expiresInDays: 30,
  });
  assert.is(made.status, 201);
  const { secret, ...shown } = made.body;
  const { id, createdAt, expiresAt, ...rest } = shown;
  assert.match(secret, /^tandem_sk_[0-9A-Za-z]{46}$/);
  assert.equal(rest, {
    object: 'api_key',
    name: 'Deploy',
    prefix: secret.slice(0, 14),
    last4: secret.slice(-4),
    scopes: ['todos:read', 'todos:write'],
    workspaceId: person.session.workspace.id,
    rateLimitPerMinute: 300,
    lastUsedAt: null,
    revokedAt: null,
  });
  const days = (Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000;
  assert.ok(days > 29.99 && days < 30.01);
  assert.equal((await as(person, `GET /api-keys/${id}`)).body, shown);
  const { body: list } = await as(person, `GET /api-keys?workspaceId=${person.session.workspace.id}`);
  assert.equal(list, { object: 'list', data: [shown], hasMore: false, nextCursor: null });
});

test('a workspace has at most 200 unrevoked keys', async () => {
  const person = await newAccount(tandem);
  const { id: workspaceId } = person.session.workspace;
  const key = { workspaceId, userId: person.session.user.id, scopes: [...scopes], rateLimitPerMinute: 300 };
  for (let place = 0; place < 199; place++) await createApiKey(tandem.db, { ...key, name: `Key ${place}` });
  const last = await create(person);
  assert.is(last.status, 201);
  const { status, body } = await create(person);
  assert.equal([status, /at most 200/.test(body.message)], [409, true]);
  await as(person, `DELETE /api-keys/${last.body.id}`);
  assert.is((await create(person)).status, 201);
  const all = await as(person, `GET /api-keys?workspaceId=${workspaceId}&includeRevoked=true`);
  assert.is(all.body.data.length, 201);
});

test('a revoked key fails on the next request, stays visible on demand, and revoking again returns the time of the first revocation', async () => {
  const person = await newAccount(tandem);
  const { body: key } = await create(person);
  assert.is((await tandem.call('GET /todos', undefined, { key: key.secret })).status, 200);
  const first = await as(person, `DELETE /api-keys/${key.id}`);
  assert.equal(first.body, { object: 'api_key_revoked', id: key.id, revokedAt: first.body.revokedAt });
  assert.is((await tandem.call('GET /todos', undefined, { key: key.secret })).body.code, 'invalid_api_key');
  assert.equal((await as(person, `DELETE /api-keys/${key.id}`)).body, first.body);
  const of = `workspaceId=${person.session.workspace.id}`;
  assert.is((await as(person, `GET /api-keys?${of}`)).body.data.length, 0);
  const { body: all } = await as(person, `GET /api-keys?${of}&includeRevoked=true`);
  assert.is(all.data[0].revokedAt, first.body.revokedAt);
});

test('a key is revoked only as it was read, where the request asks for that', async () => {
  const person = await newAccount(tandem);
  const { body: key } = await create(person);
  const revoke = (tag: string) =>
    tandem.call(`DELETE /api-keys/${key.id}`, undefined, { key: person.session.token, headers: { 'if-match': tag } });
  const stale = await revoke('"stale"');
  assert.equal([stale.status, stale.body.reason], [412, 'precondition_failed']);
  const { headers } = await as(person, `GET /api-keys/${key.id}`);
  assert.is((await revoke(headers.get('etag') ?? '')).status, 200);
});

test('any member may create keys and revoke those of others; a stranger sees none of them', async () => {
  const [owner, stranger] = [await newAccount(tandem), await newAccount(tandem)];
  const { body: key } = await create(owner);
  assert.is((await as(stranger, `GET /api-keys/${key.id}`)).status, 404);
  assert.is((await as(stranger, `DELETE /api-keys/${key.id}`)).status, 404);
  const listed = await as(stranger, `GET /api-keys?workspaceId=${owner.session.workspace.id}`);
  assert.is(listed.status, 403);
  assert.is(listed.body.code, 'workspace_access_denied');
  assert.is((await create(stranger, { workspaceId: owner.session.workspace.id })).body.code, 'workspace_access_denied');
  const join = `insert into members (workspace_id, user_id, role) values ($1, $2, 'member')`;
  await tandem.db.rows(join, [owner.session.workspace.id, stranger.session.user.id]);
  assert.is((await create(stranger, { workspaceId: owner.session.workspace.id })).status, 201);
  assert.is((await as(stranger, `DELETE /api-keys/${key.id}`)).status, 200);
});

test('unrevoked keys of a workspace have different names, however many are made at once', async () => {
  const person = await newAccount(tandem);
  const made = await Promise.all(Array.from({ length: 6 }, () => answered(() => create(person, { name: 'Twin' }))));
  assert.equal(made.map((each) => each.status).sort(), [201, 409, 409, 409, 409, 409]);
  const winner = made.find((each) => each.status === 201)?.body;
  await as(person, `DELETE /api-keys/${winner.id}`);
  assert.is((await create(person, { name: 'Twin' })).status, 201);
});

test('scopes, names and expiry are held to their limits', async () => {
  const person = await newAccount(tandem);
  const bad: [string, Record<string, unknown>][] = [
    ['scopes', { scopes: [] }],
    ['scopes[0]', { scopes: ['todos:admin'] }],
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(101) }],
    ['expiresInDays', { expiresInDays: 0 }],
    ['expiresInDays', { expiresInDays: 3651 }],
    ['workspaceId', { workspaceId: 'mine' }],
  ];
  for (const [param, more] of bad) {
    const { status, body } = await create(person, more);
    assert.is(status, 400, param);
    assert.is(body.param, param);
  }
  assert.is((await as(person, 'GET /api-keys')).body.param, 'workspaceId');
});

test('every key-management operation refuses an API key with api_key_auth_required', async () => {
  const { call } = await tandem.workspace();
  const managing = operationsOf(appRouter).filter((operation) => operation.access === 'key_management');
  assert.ok(managing.length >= 5);
  for (const { method, path } of managing) {
    const { status, body } = await call(
      `${method} ${path.replace(/\{\w+\}/g, '018f0000-0000-7000-8000-000000000000')}`,
    );
    assert.is(status, 403, path);
    assert.is(body.code, 'api_key_auth_required');
  }
});

test('allowedOperations is exact for every scope and every pair of scopes', async () => {
  const { mint } = await tandem.workspace();
  const operations = operationsOf(appRouter);
  const sets = scopes.flatMap((one, index) => [[one], ...scopes.slice(index + 1).map((two) => [one, two])]);
  for (const granted of sets) {
    const { body } = await tandem.call('GET /me', undefined, { key: await mint(granted) });
    const expected = operations.filter(
      ({ access, scope, tag }) =>
        (access === 'public' && tag === 'meta') ||
        access === 'any' ||
        ((access === 'reader' || access === 'subscriber') && granted.some((each) => each.endsWith(':read'))) ||
        (scope !== null && (granted as string[]).includes(scope)),
    );
    assert.equal(body.allowedOperations, expected.map((operation) => operation.id).sort(), granted.join());
    const account = ['signUp', 'signIn', 'requestPasswordReset', 'confirmPasswordReset'];
    assert.not(body.allowedOperations.some((id: string) => account.includes(id)));
  }
});

test('what allowedOperations says of a session is what its scopes and key management add', async () => {
  const person = await newAccount(tandem);
  const { body } = await as(person, 'GET /me');
  assert.equal(
    body.allowedOperations,
    operationsOf(appRouter)
      .map((operation) => operation.id)
      .sort(),
  );
});

test('the catalogue lists every scope with its operations, and presets that hold what they say', async () => {
  const person = await newAccount(tandem);
  const { body } = await as(person, 'GET /api-keys/scopes');
  assert.is(body.object, 'scope_catalog');
  assert.equal(
    body.scopes.map((scope: { name: string }) => scope.name),
    [...scopes],
  );
  assert.equal(
    body.scopes.filter((scope: { sensitive: boolean }) => scope.sensitive).map((scope: { name: string }) => scope.name),
    ['captures:read'],
  );
  const todosRead = body.scopes[0];
  assert.is(todosRead.resource, 'todos');
  assert.is(todosRead.access, 'read');
  assert.ok(todosRead.operations.includes('listTodos') && !todosRead.operations.includes('createTodo'));
  const opening = body.scopes.filter((scope: { operations: string[] }) => scope.operations.includes('getUsage'));
  assert.equal(
    opening.map((scope: { name: string }) => scope.name),
    scopes.filter((scope) => scope.endsWith(':read')),
  );
  const presets = Object.fromEntries(
    body.presets.map((preset: { name: string; scopes: string[] }) => [preset.name, preset.scopes]),
  );
  assert.equal(presets, {
    read_only: ['todos:read', 'chats:read', 'agents:read'],
    read_all: ['todos:read', 'chats:read', 'agents:read', 'captures:read'],
    todo_manager: ['todos:read', 'todos:write'],
    agent_operator: ['todos:read', 'todos:write', 'chats:read', 'chats:write', 'agents:read', 'agents:write'],
    capture_intake: ['captures:write'],
    full_access: [...scopes],
  });
});

test.run();
