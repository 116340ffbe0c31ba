import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hasTooManyValues, maxJsonValues } from '../../adapters/json-values.ts';
import { cpuMsOf } from '../support/cpu-time.ts';
import { startTestService, type TestService } from '../support/harness.ts';

const test = suite('bodies of many values');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const many = (json: string) => hasTooManyValues(Buffer.from(json));
const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 0]));

test('a body of too many values is refused before it is read', async () => {
  const { call } = await tandem.workspace();
  for (const body of [fields(maxJsonValues), { tags: Array.from({ length: maxJsonValues }, () => []) }]) {
    const { status, body: error } = await call('POST /captures', body);
    assert.is(status, 400);
    assert.is(error.message, 'The body has more than 20000 values. Send less at once.');
  }
});

test('over tRPC too, for anybody', async () => {
  const { key } = await tandem.workspace();
  const send = async (call: string, body: string | Uint8Array<ArrayBuffer>) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${tandem.url}/trpc/${call}`, { method: 'POST', headers, body });
    const { error } = (await answer.json()) as { error: { message: string } };
    return [answer.status, error.message];
  };
  const many = JSON.stringify({ a: Array.from({ length: maxJsonValues }, () => []) });
  for (const call of ['captures.create', 'accounts.signIn', 'accounts.signIn,accounts.signIn?batch=1']) {
    assert.equal(await send(call, many), [400, 'The body has more than 20000 values. Send less at once.'], call);
  }
  const invalid = Buffer.from('{"title":"?"}').map((byte) => (byte === 0x3f ? 0xff : byte));
  assert.equal(await send('todos.create', invalid), [400, 'The body must be valid UTF-8.']);
});

test('a body of a few long texts is read, whatever they hold', async () => {
  const { call } = await tandem.workspace();
  for (const unit of [',', '"', '\\', '":[{', '\\"', '[]']) {
    const content = unit.repeat(400_000 / unit.length);
    assert.not(many(JSON.stringify({ content })), unit);
    assert.is((await call('POST /captures', { type: 'note', content: `a${content}` })).status, 201, unit);
  }
});

test('values are counted as JSON has them', () => {
  const padding = ' '.repeat(maxJsonValues);
  fc.assert(
    fc.property(fc.json(), (json) => assert.not(many(`[${padding}${json}]`))),
    { numRuns: 300 },
  );
  assert.not(many(JSON.stringify(Array.from({ length: maxJsonValues - 2 }, () => '",",["'))));
  assert.ok(many(JSON.stringify(Array.from({ length: maxJsonValues + 1 }, () => '"'))));
});

test('the largest bodies are counted in a few milliseconds', async () => {
  const size = 4 * 2 ** 20;
  for (const unit of ['\\"', '\\\\', 'a', ' ', '"",', '[']) {
    const body = Buffer.from(`"${unit.repeat(size / unit.length)}"`);
    const spent = await cpuMsOf(() => hasTooManyValues(body));
    assert.ok(spent < 200, `${JSON.stringify(unit)}: ${spent} ms`);
  }
});

test.run();
