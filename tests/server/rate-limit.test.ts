import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hashSecret, mintSecret } from '../../db/secrets.ts';
import { scopes } from '../../domain/scopes.ts';
import { addressHash } from '../../server/access/gate.ts';
import { ask, assertFrame, inOneWindow, secondsLeft, withinMinute } from '../support/frame.ts';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { inLanes } from '../support/lanes.ts';
import { type ServiceProcess, startProcess, stopProcesses } from '../support/processes.ts';

const test = suite('rate limit');
let tandem: TestService;
let other: ServiceProcess;

test.before(async () => {
  tandem = await startTestService({ RATE_LIMIT_PER_ADDRESS: '120', TRUST_PROXY: 'true' });
  other = await startProcess({ RATE_LIMIT_PER_ADDRESS: '120', TRUST_PROXY: 'true' });
});
test.after(async () => {
  await stopProcesses();
  await tandem.close();
});

async function limitedKey(rateLimitPerMinute: number): Promise<string> {
  return (await tandem.workspace()).mint(scopes, { rateLimitPerMinute });
}

async function get(key: string, path = '/me'): Promise<Answer> {
  return assertFrame(await tandem.call(`GET ${path}`, undefined, { key }));
}

let clients = 0;
/** Calls without a key from a client address of its own. */
function stranger(): (key?: string) => Promise<Answer> {
  const address = `203.0.113.${++clients}`;
  return async (key) => {
    const headers = { 'x-forwarded-for': address, ...(key !== undefined && { authorization: `Bearer ${key}` }) };
    return assertFrame(await ask(`${tandem.url}/api/v1/me`, { headers }));
  };
}

function statuses(answers: Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test('both header sets count down, and the request over budget is 429 with the whole body', async () => {
  await inOneWindow(tandem);
  const key = await limitedKey(3);
  for (const remaining of [2, 1, 0]) {
    const { status, headers } = await get(key);
    const reset = headers.get('ratelimit-reset');
    assert.is(status, 200);
    assert.is(headers.get('ratelimit-limit'), '3');
    assert.is(headers.get('ratelimit-remaining'), String(remaining));
    assert.is(headers.get('ratelimit-policy'), '"default";q=3;w=60');
    assert.is(headers.get('ratelimit'), `"default";r=${remaining};t=${reset}`);
    assert.not.ok(headers.has('retry-after'));
  }
  const { status, headers, body } = await get(key);
  const seconds = Number(headers.get('retry-after'));
  const message = `The budget of 3 requests per minute is used up. Try again in ${seconds} s.`;
  const docUrl = `${tandem.url}/docs/errors#rate_limit_exceeded`;
  assert.is(status, 429);
  assert.equal(body, {
    object: 'error',
    type: docUrl,
    title: 'Too many requests',
    status: 429,
    code: 'rate_limit_exceeded',
    detail: message,
    message,
    param: null,
    requestId: headers.get('x-request-id'),
    retryable: true,
    docUrl,
    errors: [],
    retryAfterSeconds: seconds,
  });
});

test('Retry-After is never earlier than the reset', async () => {
  await inOneWindow(tandem);
  const key = await limitedKey(1);
  await get(key);
  const { headers } = await get(key);
  assert.is(headers.get('retry-after'), headers.get('ratelimit-reset'));
  assert.ok(Number(headers.get('retry-after')) >= (await secondsLeft(tandem)));
});

test('two processes on one key let through exactly its budget', async () => {
  const answers = await withinMinute(tandem, async () => {
    const key = await limitedKey(100);
    return inLanes(300, 40, (place) => (place % 2 ? get(key) : other.call('GET /me', key)));
  });
  const { 200: granted = 0, 429: refused = 0, 503: late = 0 } = statuses(answers);
  assert.is(granted + refused + late, 300);
  // On a machine with much else to do some wait too long for the database, before they are counted or after it.
  assert.ok(granted <= 100 && granted + late >= 100, JSON.stringify(statuses(answers)));
  const remaining = answers
    .filter(({ status }) => status === 200)
    .map(({ headers }) => headers.get('ratelimit-remaining'));
  assert.is(new Set(remaining).size, granted, 'each that is granted has a place of its own');
});

test('a refused request costs nothing', async () => {
  await inOneWindow(tandem);
  const key = await limitedKey(5);
  for (let sent = 0; sent < 20; sent++) await get(key);
  const [row] = await tandem.db.rows<{ used: number }>('select used from rate_windows where bucket = $1', [
    hashSecret(key),
  ]);
  assert.is(row?.used, 5);
  await tandem.db.rows('update credentials set rate_limit_per_minute = 7 where secret_hash = $1', [hashSecret(key)]);
  const more = await Promise.all([get(key), get(key), get(key)]);
  assert.equal(statuses(more), { 200: 2, 429: 1 });
});

test('a failed request costs what any request costs', async () => {
  await inOneWindow(tandem);
  const key = await limitedKey(4);
  await get(key, '/nope');
  await get(key, '/todo-lists/nonsense');
  await get(key, '/%zz');
  assert.is((await get(key)).headers.get('ratelimit-remaining'), '0');
  assert.is((await get(key, '/nope')).status, 429);
  assert.is((await get(key, '/%zz')).status, 429);
});

test('keys do not spend the budget of one another, nor that of their address', async () => {
  await inOneWindow(tandem);
  const [one, two] = [await limitedKey(1), await limitedKey(1)];
  const call = stranger();
  assert.equal(statuses([await call(one), await call(one), await call(two)]), { 200: 2, 429: 1 });
  assert.is((await call()).headers.get('ratelimit-remaining'), '119');
});

test('a lowered limit holds at once', async () => {
  await inOneWindow(tandem);
  const key = await limitedKey(10);
  for (let sent = 0; sent < 5; sent++) await get(key);
  await tandem.db.rows('update credentials set rate_limit_per_minute = 3 where secret_hash = $1', [hashSecret(key)]);
  const { status, headers } = await get(key);
  assert.is(status, 429);
  assert.is(headers.get('ratelimit-limit'), '3');
  assert.is(headers.get('ratelimit-remaining'), '0');
});

test('a new minute has a new budget', async () => {
  await inOneWindow(tandem);
  const key = await limitedKey(2);
  for (const expected of [200, 200, 429]) assert.is((await get(key)).status, expected);
  const age = `update rate_windows set window_start = window_start - interval '1 minute' where bucket = $1`;
  await tandem.db.rows(age, [hashSecret(key)]);
  for (const expected of [200, 200, 429]) assert.is((await get(key)).status, expected);
});

test('a minute that is still to come, as the clock of the database was set back, refuses nobody', async () => {
  const { over, left, reset } = await withinMinute(tandem, async () => {
    const key = await limitedKey(2);
    await get(key);
    const spend = `update rate_windows set window_start = window_start + interval '2 hours', used = quota where bucket = $1`;
    await tandem.db.rows(spend, [hashSecret(key)]);
    const { headers } = await get(key);
    const [remaining, seconds] = ['remaining', 'reset'].map((name) => Number(headers.get(`ratelimit-${name}`)));
    await get(key);
    return { over: await get(key), left: remaining, reset: seconds ?? Number.NaN };
  });
  assert.equal([left, over.status], [1, 429]);
  assert.ok(reset <= 60, `${reset} seconds`);
});

test('counts lost in a crash of the database cost a minute of counting and no request', async () => {
  const key = await limitedKey(1000);
  // So few at once that none waits too long for the database, on a machine with much else to do.
  const sent = inLanes(150, 8, (place) => (place % 3 ? get(key) : other.call('GET /me', key)));
  await tandem.db.driver.unsafe('truncate rate_windows');
  const answers = await sent;
  assert.equal(statuses(answers), { 200: 150 });
});

test('an address without a valid key has 120 a minute: 401 until they are spent, then 429', async () => {
  const kinds = [undefined, 'garbage', mintSecret('sk'), mintSecret('at')];
  const { call, answers, over } = await withinMinute(tandem, async () => {
    const asking = stranger();
    const all = () => Promise.all(kinds.map((key) => asking(key)));
    const within: Answer[] = [];
    for (let sent = 0; sent < 120; sent += 4) within.push(...(await all()));
    return { call: asking, answers: within, over: await all() };
  });
  assert.equal(statuses(answers), { 401: 120 });
  assert.is(answers[0]?.headers.get('ratelimit-limit'), '120');
  assert.equal(statuses(over), { 429: 4 });
  assert.is((await call(await limitedKey(5))).status, 200, 'a valid key still opens');
  assert.is((await stranger()()).status, 401, 'another address has its own budget');
});

test('behind a proxy the client address is the one that the proxy saw, not the one that the client sends', async () => {
  await inOneWindow(tandem);
  const seen = `198.51.100.${Math.ceil(Math.random() * 250)}`;
  const call = (claimed: string) =>
    ask(`${tandem.url}/api/v1/me`, { headers: { 'x-forwarded-for': `${claimed}, ${seen}` } });
  assert.is((await call('192.0.2.7')).headers.get('ratelimit-remaining'), '119');
  assert.is((await call('192.0.2.8')).headers.get('ratelimit-remaining'), '118');
});

test('IPv4 clients count alone, IPv6 clients by their /64', () => {
  const same = [
    ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:192.0.2.1', '192.0.2.1:1', '192.0.2.1:65535', '[::ffff:192.0.2.1]:1'],
    [
      '2001:db8:1:2::1',
      '2001:DB8:1:2:ffff::1',
      '2001:db8:1:2:3:4:5:6',
      '2001:0db8:0001:0002::',
      '2001:db8:1:2::1%eth0',
      '[2001:db8:1:2::1]',
      '[2001:db8:1:2::1]:443',
    ],
    ['::1', '::2', '0:0:0:0:0:0:0:1', '0::', '::'],
    ['2001:db8::1', '2001:db8:0:0:1::', '2001:db8:0:0::5'],
    ['fe80::1', 'fe80::2%en0'],
  ];
  const hashes = same.map((group) => new Set(group.map((address) => addressHash(address).toString('hex'))));
  for (const [index, group] of hashes.entries()) assert.is(group.size, 1, same[index]?.join(' '));
  assert.is(new Set(hashes.flatMap((group) => [...group])).size, same.length);
  const apart = ['192.0.2.1', '192.0.2.2', '2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:1::1'];
  assert.is(new Set(apart.map((address) => addressHash(address).toString('hex'))).size, apart.length);
});

test.run();
