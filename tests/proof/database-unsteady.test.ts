import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Answer,
  startTestService,
  type TestService,
  type TestWorkspace,
  testDatabaseUrl,
} from '../support/harness.ts';
import { type ServiceProcess, startProcess, stopProcesses } from '../support/processes.ts';
import { countOf } from '../support/proof-size.ts';
import { recordedEvents } from '../support/recorded-events.ts';
import { sequenceOf } from '../support/unreliable.ts';
import { openUnsteadyNetwork, type UnsteadyNetwork } from '../support/unsteady-network.ts';
import { maxWaitMs, until, within } from '../support/until.ts';

/*
 * A service whose way to the database fails at random: connections that are refused, silent, reset or torn in the
 * middle of a message, and answers that come late. Clients read, change and create all the while.
 */

const test = suite('an unsteady way to the database');
const seconds = countOf('UNSTEADY_SECONDS', { ci: 15, full: 600 });
const seed = countOf('UNSTEADY_SEED', { ci: 20261127, full: Date.now() % 2 ** 31 });
const readers = 12;
const writers = 6;
const chances = { refused: 0.05, mute: 0.01, held: 0.02, reset: 0.002, torn: 0.002, lost: 0.0005 };

let direct: TestService;
let workspace: TestWorkspace;
let network: UnsteadyNetwork;
let service: ServiceProcess;
const statuses = new Map<number, number>();

test.before(async () => {
  direct = await startTestService({ AGENT_CONCURRENCY: '0' });
  workspace = await direct.workspace();
  network = await openUnsteadyNetwork(testDatabaseUrl(), chances, sequenceOf(seed));
  service = await startUnsteadily();
});
test.after(async () => {
  await stopProcesses();
  await network.close();
  await direct.close();
});

/** A start may fail on such a network, as it says; a supervisor starts it again. */
async function startUnsteadily(): Promise<ServiceProcess> {
  for (let tries = 1; ; tries++) {
    try {
      return await startProcess({ DATABASE_URL: network.url, DATABASE_POOL_SIZE: '6', AGENT_CONCURRENCY: '0' });
    } catch (error) {
      if (tries === 20) throw error;
    }
  }
}

/** One request, which has to end: with 503 or with what a steady network would give. Undefined for 503. */
async function ask(route: string, body?: unknown, headers?: Record<string, string>): Promise<Answer | undefined> {
  const asked = service.call(route, workspace.key, body, headers);
  const answer = await within(() => `an answer to ${route}\n${service.output().slice(-2000)}`, asked);
  statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  if (answer.status === 503) {
    assert.ok(answer.headers.has('retry-after'), answer.text);
    return undefined;
  }
  assert.ok(answer.status < 500, `${route} ${answer.status} ${answer.text}`);
  return answer;
}

/** Asks until it is answered with something else than 503, or than a 409 of a request that is still at work. */
async function insist(route: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
  for (const deadline = performance.now() + maxWaitMs; performance.now() < deadline; await sleep(50)) {
    const answer = await ask(route, body, headers);
    if (answer && answer.body?.retryable !== true) return answer;
  }
  throw new Error(`${route} was answered by 503 for ${maxWaitMs / 1000} s`);
}

const made = async (title: string): Promise<string> => (await workspace.call('POST /todos', { title })).body.id;

/** Reads todos alone and in lists: each answer is that of its own request. */
async function read(titles: ReadonlyMap<string, string>, isOver: () => boolean): Promise<void> {
  const ids = [...titles.keys()];
  for (let turn = 0; !isOver(); turn++) {
    const id = ids[turn % ids.length] ?? '';
    const one = await ask(`GET /todos/${id}`);
    if (one) assert.equal([one.status, one.body.id, one.body.title], [200, id, titles.get(id)]);
    const some = [ids[turn % ids.length], ids[(turn + 1) % ids.length]];
    const listed = await ask(`GET /todos?ids=${some.join()}`);
    if (listed) assert.equal([listed.status, listed.body.data.map((todo: { id: string }) => todo.id)], [200, some]);
    const me = await ask('GET /me');
    if (me) assert.equal([me.status, me.body.workspace.id], [200, workspace.workspaceId]);
  }
}

/** Changes one todo again and again, and creates others with keys. Returns what it received, and its last title. */
async function write(name: string, isOver: () => boolean) {
  const id = await made(`${name} 0`);
  const created = new Map<string, string>();
  let title = `${name} 0`;
  for (let turn = 1; !isOver(); turn++) {
    const wanted = `${name} ${turn}`;
    const { status, body } = await insist(`PATCH /todos/${id}`, { title: wanted }, {});
    assert.equal([status, body.title], [200, wanted]);
    title = wanted;
    const text = `${name} makes ${turn}`;
    const answer = await insist('POST /todos', { title: text }, { 'idempotency-key': text });
    assert.equal([answer.status, answer.body.title], [201, text]);
    created.set(answer.body.id, text);
  }
  return { id, title, created };
}

test('every request ends, with its own answer or 503; nothing that was acknowledged is lost or doubled', async () => {
  const titles = new Map<string, string>();
  for (let place = 0; place < 40; place++) {
    const title = `Read ${place}`;
    titles.set(await made(title), title);
  }
  const end = performance.now() + seconds * 1000;
  const isOver = () => performance.now() > end;
  const [, written] = await Promise.all([
    Promise.all(Array.from({ length: readers }, () => read(titles, isOver))),
    Promise.all(Array.from({ length: writers }, (_, place) => write(`Writer ${place}`, isOver))),
  ]);
  network.calm();
  const counts = [...statuses].sort().map(([status, count]) => `${status}: ${count}`);
  process.stdout.write(`seed ${seed}; ${counts.join(', ')}; ${JSON.stringify(network.seen)} `);
  assert.ok((statuses.get(200) ?? 0) > 50, 'it was served at times');
  const { reset, torn, lost, refused, mute } = network.seen;
  assert.ok(reset + torn + lost + refused + mute > 0, 'connections were lost');
  const { workspaceId, call } = workspace;
  const rows = await direct.db.rows<{ id: string; title: string }>(
    'select id, title from todos where workspace_id = $1',
    [workspaceId],
  );
  const found = new Map(rows.map(({ id, title }) => [id, title]));
  const expected = [...titles, ...written.flatMap(({ id, title, created }) => [[id, title] as const, ...created])];
  assert.equal([...found].sort(), expected.sort(), 'what was acknowledged, once');
  const events = await recordedEvents(direct, workspaceId);
  const creations = events.filter(({ type }) => type === 'todo.created').map(({ objectId }) => objectId);
  assert.equal(creations.sort(), [...found.keys()].sort(), 'one event of each creation');
  assert.is((await call('GET /todos/summary')).body.total, found.size);
});

test('once the network is steady, it serves as before, with no more connections than it may have', async () => {
  const { key } = workspace;
  await until(async () => (await service.call('GET /todos', key)).status === 200);
  const answers = await Promise.all(Array.from({ length: 60 }, () => service.call('GET /todos', key)));
  assert.equal(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.is(service.child.exitCode, null);
  const logged = service
    .output()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const faults = logged.filter(({ level, msg }) => level >= 50 && msg !== 'request failed');
  assert.equal(faults.slice(0, 3), [], 'nothing failed but requests, which were answered by 503');
});

test.run();
