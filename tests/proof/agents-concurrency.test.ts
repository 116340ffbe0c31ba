import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openingOf } from '../../domain/agents/rows.ts';
import { hours, waitingTurn } from '../support/agent-fixtures.ts';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { hold, releaseAll, untilBlocked } from '../support/locks.ts';
import { startProcess, stopProcesses } from '../support/processes.ts';
import { answered } from '../support/until.ts';

const test = suite('agents changed at once');
/** Nobody works: a turn that is planned would be over before it is looked at. */
const idle = { AGENT_CONCURRENCY: '0' };
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService(idle);
});
test.after.each(releaseAll);
test.after(async () => {
  await stopProcesses();
  await tandem.close();
});

const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status).sort();

test('two processes that race for a name make one agent of it', async () => {
  const { key, call } = await tandem.workspace();
  const [first, second] = await Promise.all([startProcess(idle), startProcess(idle)]);
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(
      [first, second].flatMap((service) =>
        [`scout ${round}`, `SCOUT ${round}`].map((name) =>
          // A busy machine may leave one process without a place in the database for seconds.
          answered(() => service.call('POST /agents', key, { name })),
        ),
      ),
    );
    assert.equal(statusesOf(answers), [201, 409, 409, 409]);
    for (const { status, body } of answers) if (status === 409) assert.is(body.param, 'name');
  }
  assert.is((await call('GET /agents')).body.data.length, 11);
  const other = await call('POST /agents', { name: 'Other' });
  const archived = await call('POST /agents', { name: 'Late' });
  await call(`DELETE /agents/${archived.body.id}`);
  const answers = await Promise.all([
    answered(() => first.call('POST /agents', key, { name: 'late' })),
    answered(() => second.call(`PATCH /agents/${other.body.id}`, key, { name: 'LATE' })),
    answered(() => call(`POST /agents/${archived.body.id}/restore`)),
  ]);
  const won = answers.filter(({ status }) => status < 300);
  assert.is(won.length, 1, 'creating, renaming and restoring race for one name too');
  assert.equal(answers.filter(({ status }) => status === 409).length, 2);
});

test('of changes for one version exactly one is made', async () => {
  const { call } = await tandem.workspace();
  const { body: agent } = await call('POST /agents', { name: 'Scout' });
  for (let version = 1; version <= 5; version++) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, writer) =>
        call(`PATCH /agents/${agent.id}`, { description: `${version}.${writer}`, expectedVersion: version }),
      ),
    );
    assert.equal(statusesOf(answers), [200, ...Array(7).fill(409)]);
    const won = answers.find(({ status }) => status === 200)?.body;
    assert.is(won.version, version + 1);
    assert.is((await call(`GET /agents/${agent.id}`)).body.description, won.description);
    for (const { status, body } of answers) if (status === 409) assert.is(body.currentVersion, version + 1);
  }
});

test('changes of different fields at once are all kept, each with a version of its own', async () => {
  const { call } = await tandem.workspace();
  const { body: agent } = await call('POST /agents', { name: 'Scout' });
  const given = { description: 'A', instructions: 'B', approvalGuidance: 'C', requiresApproval: false, name: 'Scribe' };
  const answers = await Promise.all(
    Object.entries(given).map(([field, value]) => call(`PATCH /agents/${agent.id}`, { [field]: value })),
  );
  assert.equal(answers.map(({ body }) => body.version).sort(), [2, 3, 4, 5, 6]);
  const { body } = await call(`GET /agents/${agent.id}`);
  assert.equal(body, { ...body, ...given, version: 6 });
});

test('names are changed one after the other, so that agents which swap theirs never wait for each other', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const made = await Promise.all(['Left', 'Right'].map((name) => call('POST /agents', { name })));
  const [left, right] = made.map(({ body }) => body.id);
  const row = 'select 1 from agents where workspace_id = $1 and id = $2 for no key update';
  const held = await hold(row, [workspaceId, right]);
  const second = call(`PATCH /agents/${right}`, { name: 'Left' });
  await untilBlocked('select a.id, a.name%for no key update');
  const first = call(`PATCH /agents/${left}`, { name: 'Right' });
  await untilBlocked('select pg_advisory_xact_lock%');
  assert.is((await call(`PATCH /agents/${left}`, { description: 'No name.' })).status, 200);
  await held.release();
  assert.equal(statusesOf(await Promise.all([first, second])), [409, 409], 'each name is still the other’s');
});

test('of conditional changes with one tag exactly one is made, skills included', async () => {
  const { call } = await tandem.workspace();
  for (let round = 0; round < 5; round++) {
    const made = await call('POST /agents', { name: `Scout ${round}` });
    const path = `/agents/${made.body.id}`;
    const { body: skill } = await call(`POST ${path}/skills`, { name: 'Digest' });
    const headers = { 'if-match': (await call(`GET ${path}`)).headers.get('etag') ?? '' };
    const answers = await Promise.all([
      ...[1, 2, 3].map((writer) => call(`PATCH ${path}`, { description: `${writer}` }, { headers })),
      call(`DELETE ${path}`, undefined, { headers }),
    ]);
    assert.equal(statusesOf(answers), [200, 412, 412, 412]);
    const mixed = { 'if-match': (await call(`GET ${path}`)).headers.get('etag') ?? '' };
    const [change, renamed] = await Promise.all([
      call(`PATCH ${path}`, { description: 'after' }, { headers: mixed }),
      call(`PATCH ${path}/skills/${skill.id}`, { name: 'Other' }),
    ]);
    assert.is(renamed.status, 200);
    const { body } = await call(`GET ${path}`);
    assert.is(body.description === 'after', change.status === 200);
    assert.is(body.skills[0].name, 'Other');
  }
});

test('a turn that is planned while the hours change is planned by one of the two, and never left behind', async () => {
  const workspace = await tandem.workspace();
  const { body: agent } = await workspace.call('POST /agents', { name: 'Scout' });
  const path = `/agents/${agent.id}`;
  const now = new Date();
  const closed = hours('09:00', '17:00', 'UTC', [
    ['wed', 'thu', 'fri', 'sat', 'sun', 'mon', 'tue'][now.getUTCDay()] ?? 'mon',
  ]);
  await workspace.call(`PATCH ${path}`, { workingHoursEnabled: true, workingHours: closed });
  let changing: Promise<Answer> | undefined;
  const turn = await tandem.db.transaction(async (tx) => {
    const notBefore = await openingOf(tx, workspace.workspaceId, agent.id, now);
    assert.ok(notBefore);
    changing = workspace.call(`PATCH ${path}`, { workingHoursEnabled: false });
    await untilBlocked('select a.id, a.name%for no key update');
    return waitingTurn({ ...tandem, db: tx as TestService['db'] }, workspace, agent.id, { notBefore });
  });
  assert.is((await changing)?.status, 200);
  const status = 'select status from chats where workspace_id = $1 and id = $2';
  assert.equal([...(await tandem.db.rows(status, [turn.workspaceId, turn.chatId]))], [{ status: 'running' }]);
});

test.run();
