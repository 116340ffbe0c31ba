import { execFile } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';

const test = suite('bodies that are not read');
let tandem: TestService;
let workspace: TestWorkspace;

test.before(async () => {
  tandem = await startTestService();
  workspace = await tandem.workspace();
});
test.after(() => tandem.close());

/**
 * A client that cannot read while it sends: its headers are answered before it writes 12 MiB, more than the buffers of
 * both sockets hold, and only then looks for the answer. The wait gives the service time to end the connection.
 */
const client = `
  const { request } = require('node:http');
  const [url, headers] = process.argv.slice(1);
  const sent = request(url, { method: 'POST', headers: JSON.parse(headers) }, (answer) => {
    console.log(answer.statusCode, answer.headers.connection);
    answer.resume();
  });
  sent.on('error', (error) => console.log(error.message));
  sent.on('socket', (socket) => socket.on('connect', () => {
    sent.flushHeaders();
    process.nextTick(() => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
      sent.end(Buffer.alloc(12 * 2 ** 20, ' '));
    });
  }));
`;

/**
 * Posts 12 MiB of spaces; returns the status and the header `Connection` of the answer, or how the connection broke.
 */
function post(path: string, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const args = ['-e', client, tandem.url + path, JSON.stringify(headers)];
    execFile(process.execPath, args, (error, printed) => (error ? reject(error) : resolve(printed.trim())));
  });
}

const declared = { 'content-length': String(12 * 2 ** 20) };
const chunked = { 'transfer-encoding': 'chunked' };
const ways: [name: string, headers: Record<string, string>][] = [
  ['with its length, on a connection that is kept alive', { ...declared, connection: 'keep-alive' }],
  ['with its length, on a connection for one request', { ...declared, connection: 'close' }],
  ['in chunks, on a connection that is kept alive', { ...chunked, connection: 'keep-alive' }],
  ['in chunks, on a connection for one request', { ...chunked, connection: 'close' }],
];

for (const [name, framing] of ways) {
  test(`the answer to a body that is refused reaches a client that sends it ${name}`, async () => {
    const json = { ...framing, 'content-type': 'application/json' };
    const authorized = { ...json, authorization: `Bearer ${workspace.key}` };
    const answers = await Promise.all([
      post('/api/v1/todos', authorized),
      post('/mcp', authorized),
      post('/trpc/createTodo', authorized),
      post('/api/v1/todos', json),
      post('/api/v1/todos', { ...authorized, 'content-type': 'text/plain' }),
    ]);
    const { connection } = framing;
    assert.equal(
      answers,
      ['413', '413', '413', '401', '415'].map((status) => `${status} ${connection}`),
    );
  });
}

test.run();
