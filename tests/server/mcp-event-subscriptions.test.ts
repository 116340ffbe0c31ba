import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Failure } from '../../domain/errors.ts';
import { webhookSender } from '../../server/webhooks.ts';
import { newGrant } from '../support/grants.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { eventClient, newSecret, wantedPath } from '../support/mcp-events.ts';
import { freePort } from '../support/ports.ts';
import { type Receiver, startReceiver } from '../support/webhook-receiver.ts';
import { loopback, unlimited } from '../support/webhook-world.ts';

/* MCP Events (SEP-3415): who may subscribe which address, for how long, and what is the same subscription. */
const test = suite('mcp events: subscriptions');
let tandem: TestService;
let receiver: Receiver;
let client: ReturnType<typeof eventClient>;

test.before(async () => {
  [tandem, receiver] = await Promise.all([
    startTestService({ ...loopback, AGENT_CONCURRENCY: '0' }, unlimited),
    startReceiver(),
  ]);
  client = eventClient(tandem);
});
test.after(async () => {
  await Promise.all([tandem.close(), receiver.close()]);
});

const name = 'todo.created';
const minute = 60_000;

/** The params of a subscription of an address that wants it. */
function wanted<More extends Record<string, unknown>>(more = {} as More, path = wantedPath(receiver)) {
  const delivery = { mode: 'webhook', url: receiver.url(path), secret: newSecret() };
  return { path, params: { name, delivery, ...more } };
}

test('an address is asked first, with a signed challenge, and must repeat it', async () => {
  const { key, workspaceId } = await tandem.workspace();
  const { path, params } = wanted();
  const { id, cursor, truncated, resultType } = await client.ask(key, 'events/subscribe', params);
  assert.equal([truncated, resultType, typeof cursor], [false, 'complete', 'string']);
  assert.match(id, /^sub_[0-9a-f]{32}$/);
  const [{ event, headers }] = receiver.at(path) as [ReturnType<Receiver['at']>[number]];
  assert.equal(Object.keys(event), ['type', 'challenge']);
  assert.match(String(headers['webhook-id']), /^msg_verification_[0-9a-f]{24}$/);
  assert.is(headers['x-mcp-subscription-id'], id);
  assert.is(receiver.at(path).length, 1);
  assert.is(await client.stored(workspaceId), 1);
});

test('an address that does not prove that it wants events gets none: -32027 with a category', async () => {
  const { key, workspaceId } = await tandem.workspace();
  const path = '/unwilling';
  const { params } = wanted({}, path);
  for (const [answer, reason] of [
    [(body: string) => [200, body] as const, 'challenge_failed'],
    [() => [200, '{"challenge":"guessed"}'] as const, 'challenge_failed'],
    [() => [200, 'no JSON'] as const, 'challenge_failed'],
    [() => [204, ''] as const, 'challenge_failed'],
    [() => [302, ''] as const, 'http_4xx'],
    [() => [404, ''] as const, 'http_4xx'],
    [() => [503, ''] as const, 'http_5xx'],
  ] as const) {
    receiver.answer(path, (response, { body }) => {
      const [status, text] = answer(body.replace('verification', 'other').replace(/"[\w-]{32}"/, '"changed"'));
      response.writeHead(status).end(text);
    });
    const error = await client.errorOf(key, 'events/subscribe', params);
    assert.equal([error.code, error.data], [-32027, { reason }]);
  }
  const url = `http://127.0.0.1:${await freePort()}/nobody`;
  const closed = { ...params, delivery: { ...params.delivery, url } };
  const refused = await client.errorOf(key, 'events/subscribe', closed);
  assert.equal([refused.code, refused.data], [-32027, { reason: 'connection_refused' }]);
  assert.is(await client.stored(workspaceId), 0);
});

test('slow addresses of one workspace hold up no other; more of it are refused as what can be tried again', async () => {
  const send = webhookSender(['127.0.0.1'], unlimited.webhookOutbound);
  const [slow, quick] = ['/slow', '/quick'];
  const held: ServerResponse[] = [];
  receiver.answer(slow, (response) => void held.push(response));
  const ask = (workspaceId: string, path: string) =>
    send(workspaceId, { url: receiver.url(path), headers: {}, body: '{}' });
  const many = Array.from({ length: 24 }, () => ask('a', slow));
  await receiver.received(slow, 16);
  const refusal = await ask('a', slow).catch((error: Failure) => error.problem);
  assert.equal([refusal.status, 'reason' in refusal && refusal.reason], [503, 'unavailable']);
  const other = ask('b', quick);
  receiver.answer(slow, 204);
  for (const response of held) response.writeHead(204).end();
  assert.equal(
    (await Promise.all([other, ...many])).map(({ status, error }) => [status, error]),
    Array.from({ length: 25 }, () => [204, null]),
  );
});

test('an address that is not asked for want of a place in the process is refused as what can be tried again', async () => {
  const send = webhookSender(['127.0.0.1'], { maxInFlight: 0 });
  const request = { url: receiver.url('/unasked'), headers: {}, body: '{}' };
  const refusal = await send('a', request).catch((error: Failure) => error.problem);
  assert.equal([refusal.status, 'reason' in refusal && refusal.reason], [503, 'unavailable']);
});

test('verification holds for a credential and an address, whatever the arguments, and for no other credential', async () => {
  const { key, mint } = await tandem.workspace();
  const { path, params } = wanted();
  await client.ask(key, 'events/subscribe', params);
  await client.ask(key, 'events/subscribe', params);
  await client.ask(key, 'events/subscribe', { ...params, arguments: { resourceId: crypto.randomUUID() } });
  await client.ask(key, 'events/subscribe', { ...params, name: 'todo.completed' });
  assert.is(receiver.at(path).length, 1);
  await client.ask(await mint(['todos:read']), 'events/subscribe', params);
  assert.is(receiver.at(path).length, 2);
});

test('the id follows from credential, address, name and arguments; two at once make one subscription', async () => {
  const workspace = await tandem.workspace();
  const { key, mint, workspaceId } = workspace;
  const { params } = wanted({ arguments: { resourceId: crypto.randomUUID(), actorId: crypto.randomUUID() } });
  const subscribe = async (credential: string, more: object = {}) =>
    (await client.ask(credential, 'events/subscribe', { ...params, ...more })).id;
  const id = await subscribe(key);
  const { resourceId, actorId } = params.arguments as Record<string, string>;
  const reordered = { actorId: actorId?.toUpperCase(), resourceId };
  assert.equal(await Promise.all([subscribe(key), subscribe(key, { arguments: reordered })]), [id, id]);
  assert.is(await client.stored(workspaceId), 1);
  const { token } = await newGrant(tandem, workspace, ['todos:read']);
  const [first, second] = [await subscribe(await token()), await subscribe(await token())];
  assert.is(first, second, 'the tokens of one consent are one holder');
  const others = [
    await subscribe(key, { name: 'todo.completed' }),
    await subscribe(key, { arguments: {} }),
    await subscribe(key, { delivery: { ...params.delivery, url: receiver.url(wantedPath(receiver)) } }),
    await subscribe(await mint(['todos:read'])),
    first,
  ];
  assert.is(new Set([id, ...others]).size, 6);
});

test('a secret is whsec_ and base64 of 24 to 64 bytes; else -32602, and nothing is sent', async () => {
  const { key } = await tandem.workspace();
  const { path, params } = wanted();
  const url = params.delivery.url;
  for (const secret of [undefined, '', 'whsec_', newSecret(23), newSecret(65), `whsek_${newSecret().slice(6)}`, 7]) {
    const error = await client.errorOf(key, 'events/subscribe', { name, delivery: { mode: 'webhook', url, secret } });
    assert.is(error.code, -32602, String(secret));
    assert.not.match(error.message, 'whsek', 'a secret is not repeated');
  }
  for (const secret of [`${newSecret()}=`, newSecret().replace(/.$/, '!'), `${newSecret()} `]) {
    const error = await client.errorOf(key, 'events/subscribe', { name, delivery: { mode: 'webhook', url, secret } });
    assert.is(error.code, -32602, secret);
  }
  assert.equal(receiver.at(path), []);
  for (const bytes of [24, 64]) {
    const delivery = { mode: 'webhook', url, secret: newSecret(bytes) };
    assert.ok((await client.ask(key, 'events/subscribe', { name, delivery })).id);
  }
});

test('what no database stores is -32602 with the name of its argument, and so is an address beyond all length', async () => {
  const { key, workspaceId } = await tandem.workspace();
  const { params } = wanted();
  const { url } = params.delivery;
  for (const [more, fault] of [
    [{ url: `${url}\u0000` }, /^delivery\.url: must not contain the NUL/],
    [{ url: `${url}\ud800` }, /^delivery\.url: must be well-formed/],
    [{ url: `${url}?${'x'.repeat(2000)}` }, /delivery\.url: must be at most 2000 characters long/],
  ] as const) {
    const delivery = { ...params.delivery, ...more };
    const { code, message } = await client.errorOf(key, 'events/subscribe', { ...params, delivery });
    assert.is(code, -32602);
    assert.match(message, fault);
  }
  assert.is(await client.stored(workspaceId), 0);
});

test('an address must be https and public: -32602; other modes of delivery: -32026', async () => {
  const { key } = await tandem.workspace();
  for (const url of [
    'http://example.com/',
    'https://10.0.0.1/',
    'https://[::1]/',
    'ftp://example.com',
    'nothing',
    '',
  ]) {
    const delivery = { mode: 'webhook', url, secret: newSecret() };
    assert.is((await client.errorOf(key, 'events/subscribe', { name, delivery })).code, -32602, url);
  }
  const { params } = wanted();
  const delivery = { ...params.delivery, mode: 'carrier-pigeon' };
  const { code, data } = await client.errorOf(key, 'events/subscribe', { name, delivery });
  assert.equal([code, data], [-32026, { feature: 'deliveryMode', value: 'carrier-pigeon' }]);
});

test('unknown names, lacking scopes and arguments that are not valid subscribe nothing', async () => {
  const { key, mint, workspaceId } = await tandem.workspace();
  const { path, params } = wanted();
  const reader = await mint(['chats:read']);
  for (const [credential, more, code] of [
    [key, { name: 'todo.exploded' }, -32023],
    [key, { name: 'api_key.created' }, -32023],
    [reader, {}, -32024],
    [key, { arguments: { title: 'x' } }, -32602],
    [key, { cursor: 'x' }, -32602],
    [key, { ttlMs: -1 }, -32602],
    [key, { delivery: undefined }, -32602],
  ] as const) {
    assert.is((await client.errorOf(credential, 'events/subscribe', { ...params, ...more })).code, code);
  }
  assert.equal([receiver.at(path).length, await client.stored(workspaceId)], [0, 0]);
});

test('a time is granted at most as suggested, at least a minute, at most 30 days, and never without an end', async () => {
  const { key } = await tandem.workspace();
  const { params } = wanted();
  const granted = async (more: object) => {
    const before = Date.now();
    const { refreshBefore } = await client.ask(key, 'events/subscribe', { ...params, ...more });
    const after = Date.now();
    const at = Date.parse(refreshBefore);
    return { least: at - after, most: at - before };
  };
  // The clocks of the test and of the database are those of one machine; a second is for what they round.
  const near = ({ least, most }: { least: number; most: number }, ms: number) =>
    least <= ms + 1000 && most >= ms - 1000;
  for (const [more, ms] of [
    [{}, 1440 * minute],
    [{ ttlMs: 10 * minute }, 10 * minute],
    [{ ttlMs: 1 }, minute],
    [{ ttlMs: 1e15 }, 30 * 1440 * minute],
    [{ ttlMs: null }, 30 * 1440 * minute],
    [{ ttlMs: 5 * minute }, 5 * minute],
  ] as const) {
    const grant = await granted(more);
    assert.ok(near(grant, ms), `${JSON.stringify(more)}: ${JSON.stringify(grant)}`);
  }
});

test('unsubscribing needs the same credential, name, arguments and address; else -32023', async () => {
  const { key, mint, workspaceId } = await tandem.workspace();
  const { params } = wanted({ arguments: { resourceId: crypto.randomUUID() } });
  const { id } = await client.ask(key, 'events/subscribe', params);
  const address = { url: params.delivery.url };
  const known = { name, arguments: params.arguments, delivery: address };
  const second = await mint(['todos:read']);
  for (const [credential, more] of [
    [second, {}],
    [key, { arguments: {} }],
    [key, { name: 'todo.completed' }],
    [key, { name: 'todo.exploded' }],
    [key, { delivery: { url: `${address.url}/other` } }],
    [key, { id, arguments: undefined }],
  ] as const) {
    const { code, data } = await client.errorOf(credential, 'events/unsubscribe', { ...known, ...more });
    assert.equal([code, data], [-32023, { kind: 'subscription' }]);
  }
  assert.is(await client.stored(workspaceId), 1);
  const { _meta, ...ended } = await client.ask(key, 'events/unsubscribe', known);
  assert.equal(ended, { resultType: 'complete' });
  assert.is(await client.stored(workspaceId), 0);
  assert.is((await client.errorOf(key, 'events/unsubscribe', known)).code, -32023);
});

test('subscriptions are no endpoints of people: REST neither lists nor changes them', async () => {
  const { key, call, workspaceId } = await tandem.workspace();
  await client.ask(key, 'events/subscribe', wanted().params);
  assert.equal((await call('GET /webhook-endpoints')).body.data, []);
  const [{ id } = { id: '' }] = await tandem.db.rows<{ id: string }>(
    'select id from webhook_endpoints where workspace_id = $1',
    [workspaceId],
  );
  for (const route of ['GET', 'PATCH', 'DELETE']) {
    const { status } = await call(
      `${route} /webhook-endpoints/${id}`,
      route === 'PATCH' ? { enabled: false } : undefined,
    );
    assert.is(status, 404, route);
  }
  assert.is((await call(`GET /webhook-endpoints/${id}/deliveries`)).status, 404);
  assert.is((await call(`POST /webhook-endpoints/${id}/test`)).status, 404);
  assert.is((await call(`POST /webhook-endpoints/${id}/rotate-secret`)).status, 404);
  assert.is(await client.stored(workspaceId), 1);
});

test.run();
