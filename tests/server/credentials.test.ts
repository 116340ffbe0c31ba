import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hashSecret, mintSecret, secretKind } from '../../db/secrets.ts';
import { scopes } from '../../domain/scopes.ts';
import { revoke } from '../support/frame.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { type ServiceProcess, startProcess, stopProcesses } from '../support/processes.ts';
import { until } from '../support/until.ts';

const test = suite('credentials');
let tandem: TestService;
let other: ServiceProcess;

test.before(async () => {
  tandem = await startTestService();
  other = await startProcess({ LOG_LEVEL: 'trace' });
});
test.after(async () => {
  await stopProcesses();
  await tandem.close();
});

test('the last six characters of a secret are the CRC-32 of its body in base62', () => {
  const known: [string, string][] = [
    ['0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd', '0omAup'],
    ['0000000000000000000000000000000000000000', '2kaqcA'],
    ['zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz', '2x81PZ'],
  ];
  for (const [body, sum] of known) {
    for (const kind of ['sk', 'st', 'at', 'rt'] as const) assert.is(secretKind(`tandem_${kind}_${body}${sum}`), kind);
  }
});

test('a changed, shortened or padded secret is recognised as none', () => {
  const secret = mintSecret('sk');
  assert.match(secret, /^tandem_sk_[0-9A-Za-z]{46}$/);
  assert.is(secretKind(secret), 'sk');
  for (let place = 0; place < secret.length; place++) {
    const other = secret[place] === 'x' ? 'y' : 'x';
    assert.is(secretKind(secret.slice(0, place) + other + secret.slice(place + 1)), null, `place ${place}`);
  }
  for (const wrong of ['', ` ${secret}`, `${secret} `, `${secret}\n`, secret.slice(0, -1), `${secret}0`]) {
    assert.is(secretKind(wrong), null);
  }
});

test('no two secrets are alike', () => {
  assert.is(new Set(Array.from({ length: 2000 }, () => mintSecret('sk'))).size, 2000);
});

test('each request of a connection is judged by the credential that it shows itself', async () => {
  const [first, second] = [await tandem.workspace(), await tandem.workspace()];
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ports = new Set<unknown>();
  const ask = async (authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization };
    const sent = request(`${tandem.url}/api/v1/me`, { agent, headers }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    ports.add(response.socket.localPort);
    const body = JSON.parse(await text(response));
    return [response.statusCode, body.code ?? body.user.id];
  };
  const { body } = await first.call('GET /me');
  const { body: others } = await second.call('GET /me');
  const valid = [200, body.user.id];
  assert.equal(await ask(`Bearer ${first.key}`), valid);
  assert.equal(await ask(`Bearer ${second.key}`), [200, others.user.id]);
  assert.equal(await ask(`bearer   ${first.key}`), valid);
  assert.equal(await ask(`Bearer ${first.key}x`), [401, 'invalid_api_key']);
  assert.equal(await ask(`Bearer ${first.key}x`), [401, 'invalid_api_key']);
  assert.equal(await ask(`Basic ${first.key}`), [401, 'missing_credentials']);
  assert.equal(await ask(), [401, 'missing_credentials']);
  assert.equal(await ask(`Bearer ${first.key}`), valid);
  await revoke(tandem, first.key);
  assert.equal(await ask(`Bearer ${first.key}`), [401, 'invalid_api_key']);
  assert.is(ports.size, 1);
  agent.destroy();
});

test('a revoked key is refused on the very next request, on every process', async () => {
  const { mint, call } = await tandem.workspace();
  for (let round = 0; round < 10; round++) {
    const key = await mint(scopes);
    assert.is((await call('GET /me', undefined, { key })).status, 200);
    assert.is((await other.call('GET /me', key)).status, 200);
    await revoke(tandem, key);
    const [here, there] = await Promise.all([call('GET /me', undefined, { key }), other.call('GET /me', key)]);
    for (const { status, body } of [here, there]) {
      assert.is(status, 401);
      assert.is(body.code, 'invalid_api_key');
    }
  }
});

test('a key stops at its expiry and not before', async () => {
  const { mint, call } = await tandem.workspace();
  let expiresAt = '';
  let key = '';
  for (let validMs = 500, isBefore = false; !isBefore; validMs *= 2) {
    expiresAt = new Date(Date.now() + validMs).toISOString();
    key = await mint(scopes, { expiresAt });
    const { status, body } = await call('GET /me', undefined, { key });
    // On a slow machine the key may have expired before the answer: then it says nothing.
    isBefore = Date.now() < Date.parse(expiresAt);
    if (isBefore) assert.equal([status, body.credential?.expiresAt], [200, expiresAt]);
  }
  await until(() => Date.now() > Date.parse(expiresAt));
  assert.is((await call('GET /me', undefined, { key })).status, 401);
  assert.is((await other.call('GET /me', key)).status, 401);
});

test('the keys of a removed member open nothing, on every process', async () => {
  const { workspaceId, userId, key, call } = await tandem.workspace();
  assert.is((await call('GET /me')).status, 200);
  const member = [workspaceId, userId];
  await tandem.db.rows('update members set removed_at = now() where workspace_id = $1 and user_id = $2', member);
  assert.is((await call('GET /me')).status, 401);
  assert.is((await other.call('GET /me', key)).status, 401);
});

test('a key opens its workspace and says what it may do', async () => {
  const { workspaceId, userId, mint, call } = await tandem.workspace();
  const key = await mint(['todos:read'], { rateLimitPerMinute: 77 });
  const { status, body } = await call('GET /me', undefined, { key });
  assert.is(status, 200);
  const { id, ...credential } = body.credential;
  assert.equal(credential, {
    object: 'credential',
    type: 'api_key',
    name: 'Test key',
    scopes: ['todos:read'],
    rateLimitPerMinute: 77,
    expiresAt: null,
  });
  assert.is(body.workspace.id, workspaceId);
  assert.is(body.user.id, userId);
  const allowed: string[] = body.allowedOperations;
  assert.equal(allowed, allowed.toSorted());
  for (const id of ['getIdentity', 'getServiceInfo', 'listTodoLists']) assert.ok(allowed.includes(id), id);
  assert.not.ok(allowed.includes('createTodoList'));
});

test('the last use of a key is kept to the minute and written once a minute', async () => {
  const { key, call } = await tandem.workspace();
  const find = `select last_used_at as "at", date_trunc('minute', now()) as minute, xmin::text as version
    from credentials where secret_hash = $1`;
  const read = async () => (await tandem.db.rows<Record<string, string>>(find, [hashSecret(key)]))[0];
  assert.is((await read())?.at, null);
  await call('GET /me');
  const first = await read();
  assert.match(first?.at ?? '', /:00\.000Z$/);
  await Promise.all([call('GET /me'), call('GET /me'), other.call('GET /me', key)]);
  const second = await read();
  if (second?.minute === first?.at) assert.is(second?.version, first?.version, 'not written again');
  await tandem.db.rows(`update credentials set last_used_at = now() - interval '5 minutes' where secret_hash = $1`, [
    hashSecret(key),
  ]);
  await call('GET /me');
  const third = await read();
  assert.ok(third?.at === third?.minute || third?.at === second?.minute);
});

test('a secret is nowhere in the database in clear, and in no log', async () => {
  const { key, call } = await tandem.workspace();
  await call('POST /todo-lists', { name: 'x' }, { headers: { 'idempotency-key': 'a' } });
  await other.call('POST /todo-lists', key, { name: 'x' }, { 'idempotency-key': 'b' });
  await other.call('POST /todo-lists', key, { surprise: 1 });
  await other.call('GET /%zz', key);
  const tables = await tandem.db.rows<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`,
    [],
  );
  assert.ok(tables.length > 5);
  const middle = key.slice(14, -4);
  const needles = [middle, Buffer.from(middle).toString('hex'), Buffer.from(key).toString('base64').slice(24, 56)];
  for (const { name } of tables) {
    for (const needle of needles) {
      // Every column of a row as text: bytea reads as hex.
      const found = await tandem.db.rows(`select 1 from ${name} t where strpos(t::text, $1) > 0 limit 1`, [needle]);
      assert.is(found.length, 0, `${name} holds a secret`);
    }
  }
  const stored = await tandem.db.rows<{ prefix: string; last4: string }>(
    'select prefix, last4 from credentials where secret_hash = $1',
    [hashSecret(key)],
  );
  assert.equal([...stored], [{ prefix: key.slice(0, 14), last4: key.slice(-4) }]);
  assert.match(other.output(), '"level":20', 'it logs at all');
  assert.not.match(other.output(), middle);
});

test.run();
