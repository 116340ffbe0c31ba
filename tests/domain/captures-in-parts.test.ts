import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newNote, setMinutes, workOf } from '../support/capture-fixtures.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { type Asked, type ModelServer, type Reply, startModelServer } from '../support/model-server.ts';
import { untilAnswer } from '../support/scripted-engine.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = suite('long captures, part by part');

/** Parts of the transcript, and the request for the whole. */
const parts = 4;
const body = Array.from({ length: 250 }, (_, n) => `Grace: mark-${n} ${'and so on it goes '.repeat(20)}.`).join('\n\n');
const digest = { title: 'Of marks', subtitle: 'Marks', summary: 'Marks.', todos: [] };

let model: ModelServer;
let onAsked: (asked: Asked, n: number) => Promise<Reply> | Reply;
/** Requests of this test. */
let asked: Asked[];
/** Captures hand their place back after each saved part. */
let tandem: TestService;

const isPart = ({ system }: Asked) => system.includes('"points": [text]');
const reply = (request: Asked) => JSON.stringify(isPart(request) ? { points: ['A point'], todos: [] } : digest);

test.before(async () => {
  model = await startModelServer('openai-compatible', (request) => onAsked(request, asked.push(request)));
  const settings = { AI_PROVIDER: 'openai-compatible', AI_BASE_URL: model.url, AI_MODEL: 'm', AI_API_KEY: 'k' };
  tandem = await startTestService(settings, { capturePauses: [0, 0], captureTurnMs: 0 });
});
test.before.each(() => {
  asked = [];
  onAsked = reply;
});
test.after(async () => {
  await tandem.close();
  await model.close();
});

async function imported({ call }: TestWorkspace): Promise<string> {
  const transcript = { format: 'text', body };
  return bodyOf(await call('POST /captures', { type: 'recording', transcript }), 201).id;
}

const settled = ({ call }: TestWorkspace, id: string) =>
  untilAnswer(
    () => call(`GET /captures/${id}`),
    ({ body: capture }) => ['completed', 'failed'].includes(capture.status),
  );

/** Which parts were asked for, in order; 0 for the whole. */
const partsAsked = () =>
  asked.map((request) => {
    const [message] = request.messages;
    const text = message?.role === 'user' ? message.text : '';
    return isPart(request) ? Number(/part="(\d+) of/.exec(text)?.[1]) : 0;
  });

async function pointsOf(workspaceId: string): Promise<number> {
  const text = 'select count(*)::int as count from capture_points where workspace_id = $1';
  return (await tandem.db.rows<{ count: number }>(text, [workspaceId]))[0]?.count ?? 0;
}

test('a part that fails costs none of those before it: they are neither asked for nor paid again', async () => {
  const workspace = await tandem.workspace();
  onAsked = (request, n) => (n === 3 ? { status: 401 } : reply(request));
  const id = await imported(workspace);
  const { body: failed } = await settled(workspace, id);
  assert.is(failed.failure?.code, 'summary_failed');
  assert.equal(partsAsked(), [1, 2, 3]);
  assert.is(await pointsOf(workspace.workspaceId), 2);
  const text = `select minutes::float8 from captures where workspace_id = $1 and id = $2`;
  const charged = await tandem.db.rows<{ minutes: number }>(text, [workspace.workspaceId, id]);
  assert.equal([...charged], [{ minutes: 0.1 }], 'what was saved is charged');
  onAsked = reply;
  bodyOf(await workspace.call(`POST /captures/${id}/retry`));
  const { body: capture } = await settled(workspace, id);
  assert.equal([capture.status, capture.title, capture.summary], ['completed', digest.title, digest.summary]);
  assert.equal(partsAsked(), [1, 2, 3, 3, 4, 0]);
  assert.is(await pointsOf(workspace.workspaceId), 0);
});

test('a note that is changed meanwhile has those of its parts asked for again that are others now', async () => {
  const workspace = await tandem.workspace();
  onAsked = (request, n) => (n === 3 ? { status: 401 } : reply(request));
  const id = await newNote(workspace, body);
  await until(async () => (await workOf(tandem, id)) === undefined);
  onAsked = reply;
  const content = body.replace('mark-1 ', 'mark-one ');
  bodyOf(await workspace.call(`PATCH /captures/${id}`, { content }));
  await tandem.db.rows('update capture_work set lease_until = now() where workspace_id = $1', [workspace.workspaceId]);
  await untilAnswer(
    () => workspace.call(`GET /captures/${id}`),
    ({ body: { summary } }) => summary === digest.summary,
  );
  assert.is(partsAsked().filter((part) => part === 1).length, 2);
  assert.is(partsAsked().filter((part) => part === 2).length, 1);
});

test('title and notes that are typed meanwhile, however long, have no part asked for or paid again', async () => {
  const workspace = await tandem.workspace();
  const isImported = Promise.withResolvers<string>();
  const typed = async (n: number) => {
    const id = await isImported.promise;
    const change = { title: `Marks ${n}`, notes: `So many: ${n}. ${'They are right. '.repeat(n > 2 ? 300 : 3)}` };
    bodyOf(await workspace.call(`PATCH /captures/${id}`, change));
  };
  onAsked = async (request, n) => {
    // In a fault it would be asked for as long as somebody types.
    if (n <= 12) await typed(n);
    return reply(request);
  };
  const id = await imported(workspace);
  isImported.resolve(id);
  assert.is((await settled(workspace, id)).body.status, 'completed');
  assert.equal(partsAsked(), [1, 2, 3, 4, 5, 0]);
  const whole = asked.at(-1)?.messages[0];
  assert.match(whole?.role === 'user' ? whole.text : '', 'kind="points" title="Marks 4" of="notes" part="5 of 5"');
});

test('when the minutes end between two parts it fails, and goes on with the next part once there are some', async () => {
  const workspace = await tandem.workspace();
  onAsked = async (request, n) => {
    if (n === 2) await setMinutes(tandem, workspace, 0);
    return reply(request);
  };
  const id = await imported(workspace);
  const { body: failed } = await settled(workspace, id);
  assert.is(failed.failure?.code, 'insufficient_minutes');
  assert.equal(partsAsked(), [1, 2]);
  await setMinutes(tandem, workspace, 5);
  onAsked = reply;
  bodyOf(await workspace.call(`POST /captures/${id}/retry`));
  assert.is((await settled(workspace, id)).body.status, 'completed');
  assert.equal(partsAsked(), [1, 2, 3, 4, 0]);
});

test('long captures of one workspace leave the places between their parts to others', async () => {
  const [workspace, other] = [await tandem.workspace(), await tandem.workspace()];
  const [first, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const isOther = ({ messages: [message] }: Asked) => message?.role === 'user' && message.text.includes('door is blue');
  onAsked = async (request, n) => {
    if (!isOther(request)) await (n <= 4 ? first : rest).promise;
    return reply(request);
  };
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) ids.push(await imported(workspace));
  await until(() => asked.length === 4);
  const note = await newNote(other, 'The new door is blue.');
  first.resolve();
  await untilAnswer(
    () => other.call(`GET /captures/${note}`),
    ({ body: { summary } }) => summary !== null,
  );
  rest.resolve();
  for (const id of ids) assert.is((await settled(workspace, id)).body.status, 'completed');
  assert.is(partsAsked().filter((part) => part > 0).length, 4 * parts);
});

test.run();
