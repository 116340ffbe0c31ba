import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../server/config.ts';
import { closingSeconds } from '../../server/runtime/draining.ts';
import { ask } from '../support/frame.ts';
import { startTestService } from '../support/harness.ts';

const test = suite('draining');

/** Asks over a connection that is kept alive, and returns the header `Connection` of the answer. */
async function connectionHeader(url: string, agent: Agent): Promise<string | undefined> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent }, resolve).on('error', reject);
  });
  assert.is(response.statusCode, 200);
  await text(response);
  return response.headers.connection;
}

test('turns /readyz to 503, serves all the same, and each answer ends its connection', async () => {
  const tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const { key, call } = await tandem.workspace();
    assert.is(await connectionHeader(`${tandem.url}/healthz`, agent), 'keep-alive');
    assert.is(Object.values(agent.freeSockets).flat().length, 1, 'an idle connection');
    tandem.service.drain();
    const ready = await ask(`${tandem.url}/readyz`);
    assert.equal([ready.status, ready.body], [503, { status: 'stopping' }]);
    assert.is(await connectionHeader(`${tandem.url}/healthz`, agent), 'close', 'the idle connection still served one');
    const created = await call('POST /todos', { title: 'During the shutdown' }, { key });
    assert.equal([created.status, created.headers.get('connection')], [201, 'close']);
    const refused = await call('GET /todos?limit=x', undefined, { key });
    assert.equal([refused.status, refused.headers.get('connection')], [400, 'close']);
    const stream = await call('GET /events/stream', undefined, { key });
    assert.equal([stream.status, stream.headers.get('connection')], [200, 'close']);
    const tool = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const mcp = await ask(`${tandem.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(tool),
    });
    assert.is(mcp.headers.get('connection'), 'close');
  } finally {
    agent.destroy();
    await tandem.close();
  }
});

test('is a part of the shutdown, which leaves time to hand back work', () => {
  const seconds = (SHUTDOWN_SECONDS: number, LAME_DUCK_SECONDS: number) =>
    closingSeconds({ SHUTDOWN_SECONDS, LAME_DUCK_SECONDS });
  assert.equal([seconds(20, 0), seconds(20, 5), seconds(600, 0), seconds(0, 0)], [16, 11, 595, 0]);
  assert.is(parseConfig({}).LAME_DUCK_SECONDS, 0);
  assert.throws(
    () => parseConfig({ SHUTDOWN_SECONDS: '10', LAME_DUCK_SECONDS: '10' }),
    /LAME_DUCK_SECONDS must be less than SHUTDOWN_SECONDS/,
  );
});

test.run();
