import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildCli } from '../../scripts/build-cli.ts';
import { type Between, openBetween, openPrompt, type Prompt, runHere } from '../support/cli-world.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { unknownId } from '../support/todo-fixtures.ts';

const test = suite('the client on a bad connection');
let tandem: TestService;
let workspace: TestWorkspace;
let prompt: Prompt;
let between: Between;

test.before(async () => {
  await buildCli();
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());
test.before.each(async () => {
  workspace = await tandem.workspace();
});
test.after.each(async () => {
  prompt.close();
  await between.close();
});

/** A client whose requests go through something that meddles. */
async function through(meddle: Parameters<typeof openBetween>[1]): Promise<void> {
  between = await openBetween(tandem.url, meddle);
  prompt = openPrompt(between.url, workspace.key);
}

const run = (args: string[]) => runHere(args, prompt.environment);

function answer(response: ServerResponse, status: number, headers: Record<string, string>, body: unknown): true {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  return true;
}

const refusal = (code: string, more: object = {}) => ({ object: 'error', code, message: 'Not now.', ...more });
const titles = async () => (await workspace.call('GET /todos')).body.data.map(({ title }: { title: string }) => title);

test('a write whose answer is lost is sent again with the same key, and happens once', async () => {
  await through((count) => (count <= 2 ? 'cut' : undefined));
  const { code, json, err } = await run(['todos', 'create', 'Once', '--json', '--verbose']);
  assert.is(code, 0, err);
  assert.is(json.title, 'Once');
  assert.equal(await titles(), ['Once']);
  const keys = between.seen.map(({ headers }) => headers['idempotency-key']);
  assert.is(keys.length, 3);
  assert.is(new Set(keys).size, 1);
  assert.match(String(keys[0]), /^[0-9a-f-]{36}$/);
  assert.match(err, 'idempotency-replayed: true');
});

test('a write without a key is never repeated when its outcome is unknown', async () => {
  const { body } = await workspace.call('POST /todos', { title: 'Before' });
  await through(() => 'cut');
  const { code, err } = await run(['todos', 'update', body.id, '--title', 'After']);
  assert.is(code, 8);
  assert.match(err, 'The request may or may not have been processed.');
  assert.is(between.seen.length, 1);
  assert.equal(await titles(), ['After']);
});

test('reads are tried again, a few times', async () => {
  await through((count) => (count <= 3 ? 'cut' : undefined));
  assert.is((await run(['todos', 'list'])).code, 0);
  assert.is(between.seen.length, 4);
  await between.close();
  prompt.close();
  await through(() => 'cut');
  assert.is((await run(['todos', 'list', '--no-retry'])).code, 8);
  assert.is(between.seen.length, 1);
});

test('what the service refused for now is sent again when it says, whatever it is', async () => {
  const { body } = await workspace.call('POST /todos', { title: 'Before' });
  await through((count, _, response) =>
    count === 1 ? answer(response, 429, { 'retry-after': '1' }, refusal('rate_limit_exceeded')) : undefined,
  );
  const begun = performance.now();
  const { code, json, err } = await run(['todos', 'update', body.id, '--title', 'After', '--json']);
  assert.is(code, 0, err);
  assert.is(json.title, 'After');
  assert.ok(performance.now() - begun >= 1000, 'it waited as long as it should');
  assert.is(between.seen.length, 2);
});

test('an unavailable service is asked again where that is harmless: a write may have been done all the same', async () => {
  const { body } = await workspace.call('POST /todos', { title: 'Before' });
  const answers = [refusal('internal_error', { reason: 'unavailable' }), { title: 'of a proxy' }];
  for (const given of answers) {
    await through((_, __, response) => answer(response, 503, { 'retry-after': '0' }, given));
    const { code, err } = await run(['todos', 'update', body.id, '--title', 'After']);
    assert.is(code, 8);
    assert.match(err, 'The request may or may not have been processed.');
    assert.is(between.seen.length, 1);
    await run(['todos', 'create', 'x']);
    assert.is(between.seen.length, 6);
    if (given === answers.at(-1)) return;
    prompt.close();
    await between.close();
  }
});

test('a wait that is longer than the limit is not started', async () => {
  await through((_, __, response) => answer(response, 429, { 'retry-after': '3600' }, refusal('rate_limit_exceeded')));
  const { code, err } = await run(['todos', 'create', 'x']);
  assert.is(code, 7, err);
  assert.is(between.seen.length, 1);
});

test('a 409 of a running request with the same key is retried, any other is an error', async () => {
  await through((count, _, response) => {
    const reason = count === 1 ? 'idempotency_in_progress' : 'already_running';
    return answer(response, 409, { 'retry-after': '0' }, refusal('resource_conflict', { reason }));
  });
  const { code, err } = await run(['todos', 'create', 'x']);
  assert.is(code, 5);
  assert.match(err, 'already_running');
  assert.is(between.seen.length, 2);
});

test('a request without a response times out, and the error has the key for a safe retry', async () => {
  await through(() => true);
  const { code, err } = await run(['todos', 'create', 'x', '--timeout', '1']);
  assert.is(code, 8);
  const key = String(between.seen[0]?.headers['idempotency-key']);
  assert.match(
    err,
    `no response within 1 s (--timeout).\nThe request may or may not have been processed.\nTo retry safely: --idempotency-key ${key}\n`,
  );
});

/** The key that is printed when the response of the first attempt is lost. */
const keyIn = (text: string) => /retry safely if this stops: --idempotency-key ([0-9a-f-]{36})\n/.exec(text)?.[1];

test('after a write that may have happened, every error has the key, whatever the last attempt failed with', async () => {
  await through((count) => {
    if (count === 1) setTimeout(() => void between.close(), 50);
    return 'cut';
  });
  const refused = await run(['todos', 'create', 'x']);
  assert.is(refused.code, 8);
  assert.match(refused.err, 'Is the service running');
  const hints = `The request may or may not have been processed.\nTo retry safely: --idempotency-key ${keyIn(refused.err)}\n`;
  assert.match(refused.err, hints);
  prompt.close();
  await through((count, _, response) =>
    count === 1 ? 'cut' : answer(response, 429, { 'retry-after': '3600' }, refusal('rate_limit_exceeded')),
  );
  const limited = await run(['todos', 'create', 'x', '--json']);
  assert.is(limited.code, 7);
  const error = JSON.parse(limited.err.trim().split('\n').at(-1) ?? '');
  assert.is(error.code, 'rate_limit_exceeded');
  assert.match(error.hints.join('\n'), `--idempotency-key ${keyIn(limited.err)}`);
  await between.close();
  prompt.close();
  await through((_, __, response) => answer(response, 504, {}, refusal('internal_error')));
  const late = await run(['todos', 'create', 'x', '--json', '--no-retry']);
  assert.match(late.err, `"To retry safely: --idempotency-key ${between.seen[0]?.headers['idempotency-key']}"`);
});

test('the key is known when the client is stopped before the next attempt', async () => {
  await through((count, _, response) =>
    count === 1 ? 'cut' : answer(response, 429, { 'retry-after': '60' }, refusal('rate_limit_exceeded')),
  );
  const running = prompt.start(['todos', 'create', 'x']);
  await running.until(/Retrying in 6\d s/);
  running.interrupt();
  assert.is(keyIn((await running.ended).err), between.seen[0]?.headers['idempotency-key']);
});

test('the credential goes to the address that was given, and nowhere else', async () => {
  let elsewhere = 0;
  const other = await openBetween(tandem.url, () => {
    elsewhere++;
    return undefined;
  });
  await through((_, { url = '' }, response) => {
    response.writeHead(307, { location: `${other.url}${url}` }).end();
    return true;
  });
  const { code, err } = await run(['todos', 'list']);
  await other.close();
  assert.is(code, 8);
  assert.match(err, `redirects to ${other.url}`);
  assert.is(elsewhere, 0);
});

test('a deprecated operation prints a warning on stderr and works', async () => {
  await through((_, __, response) => {
    const headers = { deprecation: 'true', sunset: 'Tue, 01 Jun 2027 00:00:00 GMT' };
    return answer(response, 200, headers, { object: 'list', data: [], hasMore: false, nextCursor: null });
  });
  const { code, out, err } = await run(['todos', 'list']);
  assert.equal([code, out], [0, '']);
  assert.is(err, 'Deprecated: this operation stops working on Tue, 01 Jun 2027 00:00:00 GMT.\n');
});

test('a response of another server is reported as such', async () => {
  await through((count, _, response) => {
    response.writeHead(count === 1 ? 200 : 404, { 'content-type': 'text/html' }).end('<h1>\u001b[31mWelcome</h1>');
    return true;
  });
  for (const page of ['a page', 'no page']) {
    const ran = await run(['todos', 'list', '--no-retry']);
    assert.is(ran.code, 8, `${page}: ${ran.err}`);
    assert.match(ran.err, 'The response is not from Tandem');
  }
  prompt.close();
  await between.close();
  await through((_, __, response) => answer(response, 502, {}, 'Bad Gateway'));
  const { err } = await run(['todos', 'list', '--no-retry']);
  assert.match(err, 'A server on the way to Tandem answered: 502 Bad Gateway. Try again later.');
});

test('a page where events are expected is reported as such, and asked for once', async () => {
  let count = 0;
  await through((_, { url = '' }, response) => {
    if (!url.includes('/events')) return undefined;
    count++;
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>');
    return true;
  });
  const { code, err } = await run(['events', 'stream']);
  assert.is(code, 8);
  assert.match(err, 'The response is not from Tandem: 200 without events');
  assert.is(count, 1);
});

test('a redirect names the new address with its path, and a page to sign in as none of the service', async () => {
  let location = '';
  await through((_, { url = '' }, response) => {
    response.writeHead(302, { location: location || `https://tandem.example.com/base${url}` }).end();
    return true;
  });
  assert.match(
    (await run(['todos', 'list'])).err,
    '\nIf that is your service: tandem login --url https://tandem.example.com/base\n',
  );
  location = 'https://evil.example/$(touch$IFS/tmp/x)/api/v1/todos';
  assert.not.match((await run(['todos', 'list'])).err, 'tandem login');
  location = '/oauth2/start?next=secret';
  const { code, err } = await run(['todos', 'list']);
  assert.is(code, 8);
  assert.match(err, `redirects to ${between.url}/oauth2/start.\nThat is not the API of Tandem.`);
});

test('other JSON than that of the service, or none, is no response of it', async () => {
  let text = '';
  await through((_, __, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    return true;
  });
  const commands = [
    ['todos', 'list'],
    ['todos', 'get', unknownId, '--json'],
    ['todos', 'create', 'x', '--wait'],
  ];
  for (text of ['', 'null', '[]', '"x"', '{"hello":"world"}', '{"object":1,"data":[]}']) {
    for (const args of commands) {
      const ran = await run([...args, '--no-retry']);
      assert.is(ran.code, 8, `${args} ${text}: ${ran.out} ${ran.err}`);
      assert.match(ran.err, 'The response is not from Tandem: 200 with');
    }
  }
});

test.run();
