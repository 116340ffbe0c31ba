import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildCli } from '../../scripts/build-cli.ts';
import { type Between, openBetween, openPrompt, type Prompt, runsAt } from '../support/cli-world.ts';
import { reached, record } from '../support/event-fixtures.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';

const test = suite('the client and the log of events');
let tandem: TestService;
let workspace: TestWorkspace;
let prompt: Prompt;
let between: Between;
/** How many bytes of the next stream arrive before its connection breaks. */
let breaksAfter: number | undefined;

test.before(async () => {
  await buildCli();
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());
test.before.each(async () => {
  workspace = await tandem.workspace();
  breaksAfter = undefined;
  between = await openBetween(tandem.url, () => {
    const bytes = breaksAfter;
    breaksAfter = undefined;
    return bytes;
  });
  prompt = openPrompt(between.url, workspace.key);
});
test.after.each(async () => {
  prompt.close();
  await between.close();
});

const { done } = runsAt(() => prompt);
const latest = async (): Promise<number> => (await workspace.call('GET /events/latest')).body.sequence;

test('events stream prints each change on a line, of the types that were asked for, until Ctrl-C', async () => {
  const running = prompt.start(['events', 'stream', '--type', 'todo.created,todo.updated', '--json']);
  await running.until(/"event":"position"/);
  const { body: todo } = await workspace.call('POST /todos', { title: 'Water the plants' });
  await workspace.call(`PATCH /todos/${todo.id}`, { status: 'done' });
  await workspace.call(`PATCH /todos/${todo.id}`, { title: 'Water the plants again' });
  await running.until(/todo\.updated/);
  running.interrupt();
  const { code, out, err } = await running.ended;
  assert.is(code, 130, err);
  const changes = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'change');
  const { body } = await workspace.call('GET /events?types=todo.created,todo.updated');
  assert.equal(
    changes.map(({ data }) => data),
    body.data,
  );
  assert.equal(
    changes.map(({ id, data }) => [id, data.type]),
    body.data.map(({ sequence, type }: { sequence: number; type: string }) => [sequence, type]),
  );
  assert.match(err, `--after-sequence ${changes.at(-1).id}`);
});

test('a stream of events that breaks is resumed where it stopped', async () => {
  const start = await latest();
  const ids = await record(tandem.db, workspace, 3);
  await reached(workspace, start + 1);
  breaksAfter = 900;
  const running = prompt.start(['events', 'stream', '--after-sequence', String(start), '--resources', 'todo']);
  await running.until(new RegExp(ids[2] as string));
  running.interrupt();
  const { code, out, err } = await running.ended;
  assert.is(code, 130, err);
  const lines = out.trim().split('\n');
  assert.equal(
    lines.map((line) => line.split('\t')[3]),
    ids,
  );
  assert.match(lines[0] as string, /^\d+\t\d{4}-\S+Z\ttodo\.created\t/);
  const resumed = between.seen.map(({ headers }) => headers['last-event-id']);
  assert.ok(resumed.length > 1, 'the connection broke');
  assert.is(resumed[0], undefined);
  assert.match(String(resumed[1]), /^\d+$/);
});

test('a list of all pages says where the last of them ends', async () => {
  await record(tandem.db, workspace, 150);
  await reached(workspace, 150);
  const { json } = await done('events', 'list', '--all', '--json');
  assert.ok(json.data.length >= 150);
  assert.is(json.nextSequence, json.data.at(-1).sequence);
  assert.equal([json.hasMore, json.nextCursor], [false, null]);
});

test.run();
