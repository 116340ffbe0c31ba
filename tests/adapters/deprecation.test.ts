import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { op, procedure, router } from '../../routers/base.ts';
import { assertFrame, inOneWindow } from '../support/frame.ts';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';

const test = suite('a deprecated operation');
const sunset = new Date('2027-03-01T00:00:00Z');
const deprecated = { sunset, replacement: 'createThing' };
const answer = z.object({ text: z.string() });
const things = router({
  old: procedure
    .meta(
      op('POST /old/{thingId}', { id: 'oldThing', summary: 'Old', scope: 'todos:write', deprecated, statuses: [404] }),
    )
    .input(z.strictObject({ thingId: z.string().max(3), text: z.string().optional() }))
    .output(answer)
    .mutation(({ input: { text = '' } }) => {
      if (text === 'break') throw new Error('broken');
      return { text };
    }),
  current: procedure
    .meta(op('POST /new', { id: 'createThing', summary: 'New', scope: 'todos:write' }))
    .input(z.strictObject({}))
    .output(answer)
    .mutation(() => ({ text: 'new' })),
});
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ DEPRECATION_URL: 'https://example.com/sunsets/' }, { router: things });
});
test.after(() => tandem.close());

function assertNotice({ headers }: Answer): void {
  assert.is(headers.get('deprecation'), 'true');
  assert.is(headers.get('sunset'), 'Mon, 01 Mar 2027 00:00:00 GMT');
  assert.is(headers.get('link'), '<https://example.com/sunsets>; rel="deprecation"');
}

test('says so when it succeeds', async () => {
  const { call } = await tandem.workspace();
  const { status, body, headers } = await call('POST /old/a', { text: 'x' });
  assert.is(status, 200);
  assert.equal(body, { text: 'x' });
  assertNotice({ headers } as Answer);
});

test('says so in every refusal', async () => {
  const { call, mint } = await tandem.workspace();
  const reader = await mint(['todos:read']);
  const spent = await mint(['todos:write'], { rateLimitPerMinute: 1 });
  await inOneWindow(tandem, 10);
  await call('POST /old/a', {}, { key: spent });
  const answers: [number, Answer][] = [
    [401, await call('POST /old/a', {}, { key: null })],
    [401, await call('POST /old/a', {}, { key: 'garbage' })],
    [429, await call('POST /old/a', {}, { key: spent })],
    [403, await call('POST /old/a', {}, { key: reader })],
    [400, await call('POST /old/a', { surprise: 1 })],
    [400, await call('POST /old/a', '{"half')],
    [400, await call('POST /old/abcd', {})],
    [413, await call('POST /old/a', { text: 'x'.repeat(1024 * 1024) })],
    [415, await call('POST /old/a', 'x', { headers: { 'content-type': 'text/plain' } })],
    [500, await call('POST /old/a', { text: 'break' })],
  ];
  for (const [status, refusal] of answers) {
    assert.is(assertFrame(refusal).status, status);
    assertNotice(refusal);
  }
});

test('is alone in saying so', async () => {
  const { call } = await tandem.workspace();
  for (const route of ['POST /new', 'GET /old/a', 'GET /nope']) {
    const { headers } = await call(route);
    for (const name of ['deprecation', 'sunset', 'link']) assert.not.ok(headers.has(name), `${route} ${name}`);
  }
});

test.run();
