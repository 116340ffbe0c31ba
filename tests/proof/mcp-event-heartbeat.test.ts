import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService } from '../support/harness.ts';
import { openEventStream } from '../support/mcp-event-stream.ts';
import { eventClient } from '../support/mcp-events.ts';
import { happen, numbered } from '../support/webhook-world.ts';

/* MCP Events (SEP-3415): what a stream sends while nothing happens. It takes a quarter of a minute. */
const test = suite('mcp events: heartbeat');

test('a heartbeat has the position up to which everything was checked, so that the cursor advances', async () => {
  const tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  const client = eventClient(tandem);
  const { key, workspaceId } = await tandem.workspace();
  const stream = await openEventStream(tandem.url, key, { name: 'todo.created' });
  const active = await stream.next('active');
  await happen(tandem, workspaceId, 1, { type: 'todo.deleted' });
  await numbered(tandem, workspaceId);
  const { cursor } = await client.poll(key, { name: 'todo.created' });
  const { params } = await stream.next('heartbeat');
  assert.equal(params, { cursor, _meta: { 'io.modelcontextprotocol/subscriptionId': 7 } });
  assert.is.not(cursor, active.params.cursor);
  stream.close();
  await tandem.close();
});

test.run();
