import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { saveSkillSummary } from '../../domain/agents/skill-update.ts';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { refused, unknownId } from '../support/todo-fixtures.ts';

const test = suite('skills');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());

async function world() {
  const workspace = await tandem.workspace();
  const { body: agent } = await workspace.call('POST /agents', { name: 'Scout' });
  const path = `/agents/${agent.id}/skills`;
  const make = async (body: object): Promise<Answer['body']> => (await workspace.call(`POST ${path}`, body)).body;
  /** How often a summary of the skill was asked for. */
  const asked = async (id: string) => {
    const text = `select attempt + 1 as asked from digests where workspace_id = $1 and kind = 'skill_summary' and subject_id = $2`;
    const [row] = await tandem.db.rows<{ asked: number }>(text, [workspace.workspaceId, id]);
    return row?.asked ?? 0;
  };
  return { ...workspace, agent, path, make, asked };
}

test('a skill is made with what the request says and is read back the same', async () => {
  const { call, agent, path } = await world();
  const given = { name: ' Digest ', instructions: '# How\n\nTen lines.\n' };
  const { status, body } = await call(`POST ${path}`, given);
  assert.is(status, 201);
  const { id, createdAt, updatedAt, ...rest } = body;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  assert.is(updatedAt, createdAt);
  assert.equal(rest, { object: 'agent_skill', agentId: agent.id, ...given, summary: null, isArchived: false });
  assert.equal((await call(`GET ${path}/${id}`)).body, body);
  const { body: same } = await call(`POST ${path}`, { name: ' Digest ' });
  assert.equal([same.name, same.instructions], [' Digest ', null], 'names of skills need not differ');
});

test('skills are listed newest first: of all agents, of one, with archived ones on request', async () => {
  const { call, agent, path, make } = await world();
  const { body: other } = await call('POST /agents', { name: 'Other' });
  const first = await make({ name: 'First' });
  const { body: second } = await call(`POST /agents/${other.id}/skills`, { name: 'Second' });
  const third = await make({ name: 'Third' });
  const { body: archived } = await call(`PATCH ${path}/${third.id}`, { archived: true });
  const fourth = await make({ name: 'Fourth' });
  const listed = async (route: string) => {
    const { status, body } = await call(`GET ${route}`);
    assert.is(status, 200);
    assert.equal({ ...body, data: [] }, { object: 'list', data: [], hasMore: false, nextCursor: null });
    return body.data;
  };
  assert.equal(await listed('/skills'), [fourth, second, first]);
  assert.equal(await listed('/skills?includeArchived=true'), [fourth, archived, second, first]);
  assert.equal(await listed(`/skills?agentId=${other.id}`), [second]);
  assert.equal(await listed(`/skills?agentId=${agent.id}&includeArchived=true`), [fourth, archived, first]);
  assert.equal(await listed(`/skills?agentId=${unknownId}`), []);
  assert.equal(await listed(path), [fourth, first]);
  assert.equal((await call(`GET /agents/${agent.id}`)).body.skills, [fourth, first]);
  refused(await call('GET /skills?agentId=x'), 400, 'agentId');
  refused(await call('GET /skills?includeArchived=1'), 400, 'includeArchived');
});

test('an update changes what it names; one that changes nothing leaves updatedAt', async () => {
  const { call, path, make } = await world();
  let before = await make({ name: 'Digest', instructions: 'A' });
  const route = `PATCH ${path}/${before.id}`;
  for (const same of [{}, { clear: [] }, { name: 'Digest', instructions: 'A', archived: false }]) {
    assert.equal((await call(route, same)).body, before);
  }
  for (const [change, result] of [
    [{ name: 'B' }, { name: 'B' }],
    [
      { instructions: 'C', archived: true },
      { instructions: 'C', isArchived: true },
    ],
    [{ clear: ['instructions', 'instructions'] }, { instructions: null }],
    [
      { instructions: '', archived: false },
      { instructions: '', isArchived: false },
    ],
  ] as const) {
    const { status, body } = await call(route, change);
    assert.is(status, 200);
    assert.equal(body, { ...before, ...result, updatedAt: body.updatedAt });
    assert.ok(body.updatedAt > before.updatedAt);
    assert.equal((await call(route, change)).body, body, 'and the same again nothing');
    before = body;
  }
  assert.equal((await call(`GET ${path}/${before.id}`)).body, before);
});

test('a skill is archived once, stays readable and comes back by an update', async () => {
  const { call, path, make } = await world();
  const skill = await make({ name: 'Digest' });
  const deleted = { object: 'deleted', id: skill.id, deleted: true, recoverable: true };
  assert.equal((await call(`DELETE ${path}/${skill.id}`)).body, { ...deleted, alreadyArchived: false });
  const { body: archived } = await call(`GET ${path}/${skill.id}`);
  assert.equal(archived, { ...skill, isArchived: true, updatedAt: archived.updatedAt });
  assert.equal((await call(`DELETE ${path}/${skill.id}`)).body, { ...deleted, alreadyArchived: true });
  assert.equal((await call(`GET ${path}/${skill.id}`)).body, archived);
  const { body: restored } = await call(`PATCH ${path}/${skill.id}`, { archived: false });
  assert.equal(restored, { ...skill, updatedAt: restored.updatedAt });
});

test('a summary is asked for whenever there are new instructions, and goes with the old ones', async () => {
  const { call, workspaceId, path, make, asked } = await world();
  const bare = await make({ name: 'Bare' });
  const blank = await make({ name: 'Blank', instructions: ' \n' });
  assert.equal([await asked(bare.id), await asked(blank.id)], [0, 0], 'there is nothing to sum up');
  const { id } = await make({ name: 'Digest', instructions: 'A' });
  assert.is(await asked(id), 1);
  const summaryOf = async () => (await call(`GET ${path}/${id}`)).body.summary;
  const save = (instructions: string, summary: string) =>
    saveSkillSummary(tandem.db, workspaceId, id, { instructions, summary });
  await save('A', 'Does A.');
  assert.is(await summaryOf(), 'Does A.');
  await call(`PATCH ${path}/${id}`, { name: 'B', instructions: 'A', archived: true });
  assert.equal([await summaryOf(), await asked(id)], ['Does A.', 1], 'the instructions are the same');
  await call(`PATCH ${path}/${id}`, { instructions: 'B' });
  assert.equal([await summaryOf(), await asked(id)], [null, 2]);
  await save('A', 'Does A.');
  assert.is(await summaryOf(), null, 'a summary of what was overwritten comes too late');
  await save('B', 'Does B.');
  await call(`PATCH ${path}/${id}`, { clear: ['instructions'] });
  assert.equal([await summaryOf(), await asked(id)], [null, 2]);
  await call(`PATCH ${path}/${bare.id}`, { instructions: 'C' });
  assert.is(await asked(bare.id), 1);
});

test('a key makes a skill once for each agent', async () => {
  const { call, path } = await world();
  const { body: other } = await call('POST /agents', { name: 'Other' });
  const headers = { 'idempotency-key': 'one' };
  const first = await call(`POST ${path}`, { name: 'Digest' }, { headers });
  const again = await call(`POST ${path}`, { name: 'Digest' }, { headers });
  assert.equal([again.status, again.text], [201, first.text]);
  assert.is(again.headers.get('idempotency-replayed'), 'true');
  refused(await call(`POST ${path}`, { name: 'B' }, { headers }), 409, 'Idempotency-Key', 'idempotency_key_reused');
  const elsewhere = await call(`POST /agents/${other.id}/skills`, { name: 'Digest' }, { headers });
  assert.is(elsewhere.status, 201);
  assert.is((await call('GET /skills')).body.data.length, 2);
});

test('the tag of a skill guards its writes', async () => {
  const { call, path } = await world();
  const made = await call(`POST ${path}`, { name: 'Digest' });
  const one = `${path}/${made.body.id}`;
  const tag = made.headers.get('etag') ?? '';
  assert.is((await call(`GET ${one}`)).headers.get('etag'), tag);
  const write = (name: string) => call(`PATCH ${one}`, { name }, { headers: { 'if-match': tag } });
  const answers = await Promise.all([write('Left'), write('Right')]);
  assert.equal(answers.map(({ status }) => status).sort(), [200, 412]);
  assert.is((await call(`DELETE ${one}`, undefined, { headers: { 'if-match': tag } })).status, 412);
  const current = answers.find(({ status }) => status === 200)?.headers.get('etag') ?? '';
  assert.is((await call(`DELETE ${one}`, undefined, { headers: { 'if-match': current } })).status, 200);
});

test('what cannot be is refused, and changes nothing', async () => {
  const { call, path, make } = await world();
  const longest = { name: '🦀'.repeat(80), instructions: '🦀'.repeat(50_000) };
  const skill = await make(longest);
  assert.equal([skill.name, skill.instructions], [longest.name, longest.instructions]);
  const route = `PATCH ${path}/${skill.id}`;
  for (const [fault, param] of [
    [{ name: `${longest.name}x` }, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: null }, 'name'],
    [{ instructions: `${longest.instructions}x` }, 'instructions'],
    [{ instructions: 'a\0' }, 'instructions'],
    [{ instructions: null }, 'instructions'],
    [{ summary: 'Mine.' }, 'summary'],
  ] as const) {
    refused(await call(`POST ${path}`, Object.assign({ name: 'A' }, fault)), 400, param);
    refused(await call(route, fault), 400, param);
  }
  refused(await call(`POST ${path}`, {}), 400, 'name');
  refused(await call(`POST ${path}`, { name: 'A', archived: true }), 400, 'archived');
  refused(await call(route, { clear: ['name'] }), 400, 'clear[0]');
  refused(await call(route, { instructions: 'A', clear: ['instructions'] }), 400, 'clear[0]');
  assert.equal((await call('GET /skills')).body.data, [skill]);
});

test('a skill is found with its own agent alone', async () => {
  const [{ call, path, make, agent }, other] = [await world(), await world()];
  const skill = await make({ name: 'Digest' });
  const foreign = await other.make({ name: 'Theirs' });
  const { body: colleague } = await call('POST /agents', { name: 'Colleague' });
  for (const [method, body] of [['GET'], ['PATCH', { name: 'Mine' }], ['DELETE']] as const) {
    for (const id of [foreign.id, unknownId]) refused(await call(`${method} ${path}/${id}`, body), 404, 'skillId');
    refused(await call(`${method} ${path}/x`, body), 400, 'skillId');
    for (const id of [other.agent.id, unknownId]) {
      refused(await call(`${method} /agents/${id}/skills/${skill.id}`, body), 404, 'agentId');
    }
    refused(await call(`${method} /agents/${colleague.id}/skills/${skill.id}`, body), 404, 'skillId');
  }
  assert.equal((await call(`GET /skills?agentId=${other.agent.id}`)).body.data, []);
  assert.equal((await other.call('GET /skills')).body.data, [foreign]);
  assert.equal((await call(`GET /agents/${agent.id}/skills`)).body.data, [skill]);
});

test.run();
