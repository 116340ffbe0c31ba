import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocketServer } from 'ws';
import { toneOf, wavOf } from '../support/audio-fixtures.ts';
import { breakingWay, environmentOf, printed, runExample } from '../support/example-fixtures.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { newAccount, password, temporaryDirectory } from '../support/people.ts';
import { freePort } from '../support/ports.ts';
import { addTotp, newConfirmedAccount } from '../support/second-factors.ts';
import { bodyOf, messagesOf } from '../support/work-fixtures.ts';

const test = suite('the examples');
const directory = temporaryDirectory();
let tandem: TestService;
let way: Awaited<ReturnType<typeof breakingWay>>;

test.before(async () => {
  const [near, far] = [await freePort(), await freePort()];
  way = await breakingWay(near, far, 400_000);
  const PUBLIC_URL = `http://127.0.0.1:${near}`;
  tandem = await startTestService({ PORT: String(far), PUBLIC_URL, DATA_DIR: join(directory.path, 'data') });
});
test.after(async () => {
  await tandem.close();
  await way.close();
  directory.remove();
});

test('poll-a-chat prints every message of a real agent, and ends when it does', async () => {
  const workspace = await tandem.workspace();
  const { code, stdout, stderr } = await runExample(
    'poll-a-chat.ts',
    ['What is due this week?'],
    environmentOf(tandem, workspace),
  );
  assert.is(code, 0, stderr);
  const { data: chats } = bodyOf(await workspace.call('GET /chats'));
  assert.is(chats.length, 1);
  const messages = await messagesOf(workspace, chats[0].id);
  assert.ok(messages.length >= 2);
  assert.is(stdout, printed(messages));
});

test('an example without a valid key says what the service says', async () => {
  const { code, stderr } = await runExample('poll-a-chat.ts', [], environmentOf(tandem, { key: '' }));
  assert.is(code, 1);
  assert.match(stderr, 'missing_credentials: Send an API key as');
  assert.match(stderr, /\(request [0-9a-f-]{36}\)/);
});

test('mcp-client lists the tools that its key opens, makes a todo and follows the run of its agent', async () => {
  const workspace = await tandem.workspace();
  const key = await workspace.mint(['todos:read', 'todos:write', 'chats:read']);
  const title = 'List what is due this week';
  const { code, stdout, stderr } = await runExample('mcp-client.ts', [title], environmentOf(tandem, { key }));
  assert.is(code, 0, stderr);
  const { data: todos } = bodyOf(await workspace.call('GET /todos'));
  assert.is(todos.length, 1);
  assert.equal([todos[0].title, todos[0].latestRun.status], [title, 'completed']);
  const [tools = '', ...rest] = stdout.split('\n');
  assert.match(tools, /^\d+ tools: list_todos, get_todo, /);
  assert.not.match(tools, 'create_agent');
  const messages = await messagesOf(workspace, todos[0].latestRun.chatId);
  assert.ok(messages.length >= 2);
  assert.is(rest.join('\n'), `${printed(messages)}The run: completed. \n`);
});

test('typed-client makes its todo once, however often it runs', async () => {
  const workspace = await tandem.workspace();
  const run = () => runExample('typed-client.ts', [], environmentOf(tandem, workspace));
  const ended = [await run(), await run()];
  const { data: todos } = bodyOf(await workspace.call('GET /todos'));
  assert.is(todos.length, 1);
  const { data: chats } = bodyOf(await workspace.call('GET /chats'));
  assert.is(chats.length, 2);
  for (const [index, { code, stdout, stderr }] of ended.entries()) {
    assert.is(code, 0, stderr);
    const messages = await messagesOf(workspace, chats[1 - index].id);
    assert.is(
      stdout,
      `Tess: ${index} active todos in 1 lists\n${todos[0].id}: Try the typed client\n` +
        `resource_not_found at todoListId, retryable: false\n${printed(messages)}The chat is completed.\n`,
    );
  }
});

test('record sends a complete file over a connection that is lost, and prints the result', async () => {
  const { email } = await newAccount(tandem);
  const file = join(directory.path, 'talk.wav');
  await writeFile(file, wavOf(toneOf(30_000)));
  const environment = { TANDEM_URL: tandem.url, TANDEM_EMAIL: email, TANDEM_PASSWORD: password };
  const { code, stdout, stderr } = await runExample('record.ts', [file, 'A tone'], environment);
  assert.is(code, 0, stderr);
  assert.is(way.broken(), 1);
  assert.match(stdout, /^A tone: completed, 30 s\n/);
});

/**
 * A service of recordings that answers each connection with the next of `frames` once audio has come, and closes it
 * with 4000.
 */
async function failingService(frames: readonly object[]) {
  let connections = 0;
  const statusNow = () => (connections > frames.length ? 'completed' : 'recording');
  const server = createServer((request, response) => {
    const recording = { socketUrl: `ws://${request.headers.host}`, captureId: 'a' };
    const token = 't'.repeat(43);
    const body = request.url?.endsWith('/recordings') ? recording : { title: 'A tone', status: statusNow() };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ object: 'session', token, ...body }));
  });
  new WebSocketServer({ server }).on('connection', (socket) => {
    const failure = frames[connections++];
    const send = (frame: object) => socket.send(JSON.stringify(frame));
    send({ type: 'ready', resumeToken: 'r'.repeat(43), nextSequence: 0, window: 32 });
    socket.on('message', (_, isBinary) => {
      if (!isBinary) return;
      send(failure ? { type: 'error', message: 'It failed.', ...failure } : { type: 'stopped' });
      socket.close(failure ? 4000 : 1000);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, connections: () => connections, close: () => server.close() };
}

test('record resumes after an error of the service, and gives up where its access ended', async () => {
  const file = join(directory.path, 'short.wav');
  await writeFile(file, wavOf(toneOf(300)));
  for (const [code, expected] of [
    ['storage_unavailable', [0, 2]],
    ['not_known_yet', [0, 2]],
    ['access_revoked', [1, 1]],
  ] as const) {
    const service = await failingService([{ code }]);
    const ended = await runExample('record.ts', [file], { TANDEM_URL: service.url });
    service.close();
    assert.equal([ended.code, service.connections()], expected, `${code}: ${ended.stderr}`);
  }
});

test('record needs a session, which a challenge of a second factor is not', async () => {
  const { email, key } = await newConfirmedAccount(tandem);
  await addTotp(tandem, key, new Date());
  const file = join(directory.path, 'short.wav');
  const environment = { TANDEM_URL: tandem.url, TANDEM_EMAIL: email, TANDEM_PASSWORD: password };
  const refused = await runExample('record.ts', [file], environment);
  assert.is(refused.code, 1);
  assert.match(refused.stderr, 'This account has a second factor');
  const { code, stderr } = await runExample('record.ts', [file], { TANDEM_URL: tandem.url, TANDEM_SESSION: key });
  assert.is(code, 0, stderr);
});

test.run();
