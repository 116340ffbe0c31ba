import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hours } from '../support/agent-fixtures.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { refused } from '../support/todo-fixtures.ts';

const test = suite('changes of agents');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

async function world(given: object = {}) {
  const workspace = await tandem.workspace();
  const { body: agent } = await workspace.call('POST /agents', { name: 'Scout', ...given });
  const path = `/agents/${agent.id}`;
  const read = async () => (await workspace.call(`GET ${path}`)).body;
  const patch = (body: object) => workspace.call(`PATCH ${path}`, body);
  const preview = (body: object) => workspace.call(`POST ${path}/preview`, body);
  return { ...workspace, agent, path, read, patch, preview };
}

function plain(field: string, action: string, before: unknown, after: unknown) {
  const lengths = { beforeLength: null, afterLength: null };
  return { object: 'agent_field_change', field, action, before, after, redacted: false, ...lengths };
}

function hidden(field: string, action: string, beforeLength: number | null, afterLength: number | null) {
  return {
    object: 'agent_field_change',
    field,
    action,
    before: null,
    after: null,
    redacted: true,
    beforeLength,
    afterLength,
  };
}

test('a change answers the agent without model and skills, and what changed, long texts by their lengths', async () => {
  const { agent, patch, read } = await world({ instructions: 'Be brief.', description: 'Finds things.' });
  const workingHours = hours('09:00', '17:00', 'Europe/Berlin');
  const change = {
    name: 'Scribe',
    description: 'Writes 🦀🦀.',
    approvalGuidance: 'Ask.',
    requiresApproval: false,
    workingHoursEnabled: true,
    workingHours,
    clear: ['instructions'],
  };
  const { status, body } = await patch(change);
  assert.is(status, 200);
  const { changes, updatedAt, ...after } = body;
  const { model, skills, updatedAt: before, ...was } = agent;
  const { clear: _, ...set } = change;
  assert.equal(after, { ...was, ...set, instructions: null, version: 2 });
  assert.ok(updatedAt > before);
  assert.equal(changes, [
    plain('name', 'changed', 'Scout', 'Scribe'),
    hidden('description', 'changed', 13, 10),
    hidden('instructions', 'cleared', 9, null),
    plain('requiresApproval', 'changed', true, false),
    hidden('approvalGuidance', 'set', null, 4),
    plain('workingHoursEnabled', 'changed', false, true),
    plain('workingHours', 'set', null, workingHours),
  ]);
  assert.equal(await read(), { ...after, updatedAt, model, skills });
});

test('a change that changes nothing keeps version and updatedAt and answers no changes', async () => {
  const given = { description: 'A', instructions: 'B', approvalGuidance: 'C' };
  const { agent, patch, read } = await world(given);
  const workingHours = hours('09:00', '24:00', 'UTC', ['mon', 'sun']);
  const { body: set } = await patch({ workingHours });
  assert.is(set.version, 2);
  for (const same of [
    {},
    { clear: [] },
    given,
    { name: 'Scout', requiresApproval: true, archived: false, expectedVersion: 2 },
    { workingHours, workingHoursEnabled: false },
    { workingHours: { ...workingHours, days: ['sun', 'mon', 'sun'] } },
  ]) {
    assert.equal((await patch(same)).body, { ...set, changes: [] });
  }
  const { body: cleared } = await patch({ clear: ['description', 'workingHours', 'description'] });
  assert.equal(
    cleared.changes.map((each: { field: string }) => each.field),
    ['description', 'workingHours'],
  );
  assert.equal((await patch({ clear: ['description', 'workingHours'] })).body, { ...cleared, changes: [] });
  assert.is((await read()).version, 3);
  assert.is(agent.version, 1);
});

test('the version rises by one with every change, archiving and restoring included', async () => {
  const { patch, call, path, read } = await world();
  const versions = [];
  versions.push((await patch({ name: 'A', description: 'B' })).body.version);
  versions.push((await patch({ archived: true })).body.version);
  versions.push((await patch({ archived: true })).body.version);
  versions.push((await patch({ archived: false })).body.version);
  await call(`DELETE ${path}`);
  versions.push((await read()).version);
  await call(`DELETE ${path}`);
  versions.push((await read()).version);
  versions.push((await call(`POST ${path}/restore`)).body.version);
  versions.push((await call(`POST ${path}/restore`)).body.version);
  assert.equal(versions, [2, 3, 3, 4, 5, 5, 6, 6]);
});

test('a change for another version is refused with the current one, and so is its preview', async () => {
  const { patch, preview, read } = await world();
  assert.is((await patch({ name: 'A', expectedVersion: 1 })).body.version, 2);
  const before = await read();
  for (const expectedVersion of [1, 3, 2 ** 40]) {
    for (const answer of [
      await patch({ name: 'B', expectedVersion }),
      await preview({ name: 'B', expectedVersion }),
      await patch({ expectedVersion }),
    ]) {
      refused(answer, 409, 'expectedVersion');
      assert.equal([answer.body.reason, answer.body.currentVersion], ['version_mismatch', 2]);
      assert.match(answer.body.message, `at version 2 now, not ${expectedVersion}`);
    }
  }
  for (const expectedVersion of [0, -1, 1.5, '2', null]) {
    refused(await patch({ name: 'B', expectedVersion }), 400, 'expectedVersion');
    refused(await preview({ name: 'B', expectedVersion }), 400, 'expectedVersion');
  }
  assert.equal(await read(), before);
});

test('a preview returns the changes that the update then makes, and changes nothing', async () => {
  const { agent, patch, preview, read } = await world({ instructions: 'Be brief.' });
  const change = {
    name: 'Scribe',
    instructions: 'Be long.',
    workingHours: hours('00:00', '24:00'),
    expectedVersion: 1,
  };
  const { status, body, headers } = await preview(change);
  assert.is(status, 200);
  assert.is(headers.get('etag'), null);
  const changes = [
    plain('name', 'changed', 'Scout', 'Scribe'),
    hidden('instructions', 'changed', 9, 8),
    plain('workingHours', 'set', null, change.workingHours),
  ];
  assert.equal(body, { object: 'agent_update_preview', agentId: agent.id, version: 1, noop: false, changes });
  assert.equal(await read(), agent);
  assert.equal((await patch(change)).body.changes, changes);
  const nothing = { object: 'agent_update_preview', agentId: agent.id, version: 2, noop: true, changes: [] };
  assert.equal((await preview({ ...change, expectedVersion: 2 })).body, nothing);
  assert.equal((await preview({})).body, nothing);
});

test('an update and its preview refuse the same', async () => {
  const { call, patch, preview, read, path } = await world();
  await call('POST /agents', { name: 'Taken' });
  await patch({ workingHoursEnabled: true, workingHours: hours('09:00', '17:00') });
  const before = await read();
  for (const [body, status, param] of [
    [{ name: 'taken' }, 409, 'name'],
    [{ name: ' ' }, 400, 'name'],
    [{ surprise: 1 }, 400, 'surprise'],
    [{ description: 'A', clear: ['description'] }, 400, 'clear[0]'],
    [{ instructions: 'A', clear: ['description', 'instructions'] }, 400, 'clear[1]'],
    [{ clear: ['name'] }, 400, 'clear[0]'],
    [{ clear: 'description' }, 400, 'clear'],
    [{ clear: ['workingHours'] }, 400, 'clear[0]'],
    [{ clear: ['description', 'workingHours'], workingHoursEnabled: true }, 400, 'clear[1]'],
  ] as const) {
    refused(await patch(body), status, param);
    refused(await preview(body), status, param);
  }
  refused(await preview({ archived: true }), 400, 'archived');
  assert.equal(await read(), before);
  assert.equal((await preview({ name: 'SCOUT' })).body.changes, [plain('name', 'changed', 'Scout', 'SCOUT')]);
  assert.is((await patch({ name: 'SCOUT' })).status, 200, 'its own name in another case');
  await call(`DELETE ${path}`);
  assert.is((await preview({ name: 'Taken' })).status, 200, 'an archived agent may have any name');
  assert.is((await patch({ name: 'Taken' })).status, 200);
});

test('working hours are kept as days of the week in order, by an IANA zone, with the start before the end', async () => {
  const { patch, read } = await world();
  const { body } = await patch({ workingHours: hours('09:30', '24:00', 'Asia/Kolkata', ['sun', 'wed', 'mon', 'wed']) });
  assert.equal(body.workingHours, hours('09:30', '24:00', 'Asia/Kolkata', ['mon', 'wed', 'sun']));
  assert.is(body.workingHoursEnabled, false);
  const good = hours('09:00', '17:00');
  for (const [wrong, param] of [
    [{ end: '09:00' }, 'end'],
    [{ start: '17:01' }, 'end'],
    [{ start: '24:00', end: '24:00' }, 'start'],
    [{ start: '9:00' }, 'start'],
    [{ start: '09:60' }, 'start'],
    [{ end: '24:01' }, 'end'],
    [{ end: '17:00:00' }, 'end'],
    [{ days: [] }, 'days'],
    [{ days: ['monday'] }, 'days[0]'],
    [{ timezone: 'Mars/Olympus' }, 'timezone'],
    [{ timezone: '+02:00' }, 'timezone'],
    [{ timezone: '' }, 'timezone'],
    [{ lunch: '12:00' }, 'lunch'],
  ] as const) {
    refused(await patch({ workingHours: { ...good, ...wrong } }), 400, `workingHours.${param}`);
  }
  refused(await patch({ workingHours: null }), 400, 'workingHours');
  assert.equal((await read()).workingHours, body.workingHours);
});

test('an agent keeps to working hours only while it has some', async () => {
  const { patch, read } = await world();
  const bare = await patch({ workingHoursEnabled: true });
  refused(bare, 400, 'workingHoursEnabled');
  assert.match(bare.body.message, /Pass workingHours too/);
  assert.is((await read()).version, 1);
  assert.is((await patch({ workingHours: hours('09:00', '17:00') })).status, 200);
  assert.is((await patch({ workingHoursEnabled: true })).status, 200);
  const cleared = await patch({ clear: ['workingHours'] });
  refused(cleared, 400, 'clear[0]');
  assert.match(cleared.body.message, /workingHoursEnabled: false/);
  const { body } = await patch({ workingHoursEnabled: false, clear: ['workingHours'] });
  assert.equal([body.workingHoursEnabled, body.workingHours, body.version], [false, null, 4]);
});

test('the order of refusals is 400, 404, 412, then 409', async () => {
  const { call, path, patch } = await world();
  await patch({ name: 'Scribe' });
  const headers = { 'if-match': '"stale"' };
  const stale = { expectedVersion: 1, name: 'Assistant' };
  assert.is((await call(`PATCH ${path}`, { ...stale, clear: ['x'] }, { headers })).status, 400);
  assert.is((await call(`PATCH ${path}`, { ...stale, workingHoursEnabled: true }, { headers })).status, 400);
  assert.is((await call(`PATCH ${path}`, stale, { headers })).status, 412);
  refused(await call(`PATCH ${path}`, stale), 409, 'expectedVersion');
  refused(await call(`PATCH ${path}`, { name: 'Assistant' }), 409, 'name');
});

test.run();
