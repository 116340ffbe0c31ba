import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildCli } from '../../scripts/build-cli.ts';
import { bundle, openPrompt, type Prompt, runsAt } from '../support/cli-world.ts';
import { inOneWindow } from '../support/frame.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { freePort } from '../support/ports.ts';
import { unknownId } from '../support/todo-fixtures.ts';
import { until } from '../support/until.ts';

const test = suite('the client when something is wrong');
let tandem: TestService;
let workspace: TestWorkspace;
let prompt: Prompt;

test.before(async () => {
  await buildCli();
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.before.each(async () => {
  workspace = await tandem.workspace();
  prompt = openPrompt(tandem.url, workspace.key);
});
test.after.each(() => prompt.close());
test.after(() => tandem.close());

const { run, done, fails } = runsAt(() => prompt);

test('errors describe what to do on stderr, and the exit code is their kind', async () => {
  const { workspaceId } = workspace;
  const missing = await fails(4, 'todos', 'get', unknownId);
  assert.match(missing.err, /^Error: .*\n {2}About: TODO\n {2}404 resource_not_found, request [0-9a-f-]{36}\n/);
  assert.match((await fails(4, 'chats', 'send', unknownId, 'Hello')).err, '\n  About: CHAT\n');
  const blank = await fails(2, 'todos', 'create', ' ');
  assert.match(blank.err, /^Error: TITLE: must not be blank\n {2}400 validation_failed, request [0-9a-f-]{36}\n$/);
  const flag = await fails(2, 'todos', 'create', 'x', '--timezone', 'Mars/Olympus', '--every', 'day');
  assert.match(flag.err, '--timezone');
  const { body: lists } = await workspace.call('GET /todo-lists');
  assert.match((await fails(5, 'todo-lists', 'delete', lists.data[0].id)).err, '409 resource_conflict');
  const stale = await fails(5, 'todo-lists', 'update', 'Inbox', '--name', 'In', '--if-match', '"old"');
  assert.match(stale.err, '412 resource_conflict (precondition_failed)');
  const json = await fails(4, 'todos', 'get', unknownId, '--json');
  assert.is(JSON.parse(json.err).code, 'resource_not_found');
  await tandem.db.rows('update workspaces set agent_minutes = 0 where id = $1', [workspaceId]);
  await tandem.db.rows('delete from minute_entries where workspace_id = $1', [workspaceId]);
  assert.match((await fails(6, 'chats', 'create', 'Hello')).err, '402 insufficient_minutes');
  const reader = await workspace.mint(['todos:read']);
  const may = { environment: { TANDEM_API_KEY: reader } };
  const refused = await run(['todos', 'create', 'x'], may);
  assert.is(refused.code, 3);
  assert.match(refused.err, 'Needs: todos:write');
  const wrong = await run(['todos', 'list'], { environment: { TANDEM_API_KEY: 'tandem_sk_wrong' } });
  assert.is(wrong.code, 3);
  assert.match(wrong.err, 'The key is from TANDEM_API_KEY.');
  const slow = await workspace.mint(['todos:read'], { rateLimitPerMinute: 1 });
  const often = { environment: { TANDEM_API_KEY: slow } };
  await inOneWindow(tandem, 20);
  await run(['todos', 'list'], often);
  const limited = await run(['todos', 'list', '--no-retry'], often);
  assert.is(limited.code, 7, limited.err);
  const nowhere = { environment: { TANDEM_URL: `http://127.0.0.1:${await freePort()}` } };
  const lost = await run(['todos', 'list', '--no-retry'], nowhere);
  assert.is(lost.code, 8);
  assert.match(lost.err, 'Is the service running at this address?');
});

test('what only people may do says how to sign in', async () => {
  const { err } = await fails(3, 'workspaces', 'members');
  assert.match(err, `Sign in: tandem login --url ${tandem.url} --email`);
  const session = { environment: { TANDEM_API_KEY: await workspace.session() } };
  const members = await run(['workspaces', 'members', '--json'], session);
  assert.equal(
    members.json.data.map(({ name }: { name: string }) => name),
    ['Tess'],
  );
  const key = await run(['api-keys', 'create', 'Nightly', '--scope', 'todos:read,todos:write', '--json'], session);
  assert.match(key.json.secret, /^tandem_sk_/);
  const named = await run(['api-keys', 'revoke', 'Nightly', '--json'], session);
  assert.is(named.json.id, key.json.id);
});

test('--verbose prints requests and headers, never the credential', async () => {
  const { err } = await done('todos', 'create', 'x', '--verbose', '--idempotency-key', 'k-1');
  assert.match(err, `> POST ${tandem.url}/api/v1/todos\n< 201 etag: "`);
  assert.not.match(err, workspace.key);
  const again = await done('todos', 'create', 'x', '--verbose', '--idempotency-key', 'k-1');
  assert.match(again.err, 'idempotency-replayed: true');
  assert.is((await done('todos', 'list', '--json')).json.data.length, 1);
});

test('a user whose home is no directory needs no stored profile', async () => {
  for (const HOME of ['/dev/null', '/nonexistent']) {
    const { code, err } = await run(['todos', 'list', '--json'], { environment: { HOME } });
    assert.equal([code, err], [0, '']);
  }
});

test('an output that cannot be written is an error that says so', async () => {
  const path = join(prompt.home, 'read-only');
  writeFileSync(path, '');
  const output = openSync(path, 'r');
  const args = [bundle, 'todos', 'list', '--json'];
  const child = spawn(process.execPath, args, { env: prompt.environment, stdio: ['ignore', output, 'pipe'] });
  assert.ok(child.stderr);
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  closeSync(output);
  assert.is(code, 1);
  assert.match(err, /^Error: the output cannot be written: E\w+/);
});

/** Runs the installed client while nobody reads `stream`; the other streams are ignored. Returns the exit code. */
async function unread(stream: 'stdout' | 'stderr', args: string[]): Promise<unknown> {
  const stdio = ['ignore', stream === 'stdout' ? 'pipe' : 'ignore', stream === 'stderr' ? 'pipe' : 'ignore'] as const;
  const child = spawn(process.execPath, [bundle, ...args], { env: prompt.environment, stdio: [...stdio] });
  child[stream]?.destroy();
  const [code] = await once(child, 'close');
  return code;
}

test('the exit code is the outcome also when nobody reads what is printed', async () => {
  assert.is(await unread('stdout', ['todos', 'list', '--json']), 0);
  assert.is(await unread('stderr', ['todos', 'get', unknownId]), 4);
  const { body: todo } = await workspace.call('POST /todos', { title: 'Plan' });
  const { body: agents } = await workspace.call('GET /agents');
  const { body: run } = await workspace.call(`POST /todos/${todo.id}/runs`, { agentId: agents.data[0].id });
  const following = ['stdout', 'stderr'].map((stream) =>
    unread(stream as 'stdout' | 'stderr', ['chats', 'follow', run.chatId, '--jsonl', '--verbose']),
  );
  const metrics = async () => (await fetch(`${tandem.url}/metrics`)).text();
  await until(async () => /^tandem_live_subscribers 2$/m.test(await metrics()));
  await workspace.call(`POST /chats/${run.chatId}/cancel`);
  assert.equal(await Promise.all(following), [11, 11]);
});

test.run();
