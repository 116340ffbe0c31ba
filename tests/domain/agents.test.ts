import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { agentAtWork } from '../../domain/agents/rows.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { assistantOf, refused, unknownId } from '../support/todo-fixtures.ts';

const test = suite('agents');
let tandem: TestService;

test.before(async () => {
  // Nobody writes summaries meanwhile.
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());

const base = {
  object: 'agent',
  description: null,
  instructions: null,
  version: 1,
  requiresApproval: true,
  approvalGuidance: null,
  workingHoursEnabled: false,
  workingHours: null,
  profilePhotoUrl: null,
  isDefault: false,
  isArchived: false,
};

test('a new workspace has one agent, its default, which asks for no approval', async () => {
  const { call } = await tandem.workspace();
  const { status, body } = await call('GET /agents');
  assert.is(status, 200);
  assert.equal({ ...body, data: [] }, { object: 'list', data: [], hasMore: false, nextCursor: null });
  assert.is(body.data.length, 1);
  const { id, createdAt, updatedAt, ...rest } = body.data[0];
  const description = 'Answers whatever is asked of no agent in particular.';
  assert.equal(rest, { ...base, name: 'Assistant', description, requiresApproval: false, isDefault: true });
  assert.equal((await call(`GET /agents/${id}`)).body, { ...body.data[0], model: 'automatic', skills: [] });
});

test('an agent is created with the fields of the request, requires approval by default, and is read back the same', async () => {
  const { call } = await tandem.workspace();
  const { status, body } = await call('POST /agents', { name: ' Scout ' });
  assert.is(status, 201);
  const { id, createdAt, updatedAt, ...rest } = body;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  assert.is(updatedAt, createdAt);
  assert.equal(rest, { ...base, name: ' Scout ', model: 'automatic', skills: [] });
  assert.equal((await call(`GET /agents/${id.toUpperCase()}`)).body, body);
  const given = {
    name: 'Scribe',
    description: 'Writes.\n\n# Bounds\nNever sends.',
    instructions: '',
    requiresApproval: false,
    approvalGuidance: 'Ask before sending.',
  };
  const { body: second } = await call('POST /agents', given);
  assert.equal(second, { ...second, ...base, ...given, model: 'automatic', skills: [] });
  assert.equal((await call(`GET /agents/${second.id}`)).body, second);
});

test('a read and a creation show model and active skills; a list and a restoration do not', async () => {
  const { call } = await tandem.workspace();
  const { body: made } = await call('POST /agents', { name: 'Scout' });
  const skills = [];
  for (const name of ['One', 'Two', 'Three']) {
    skills.unshift((await call(`POST /agents/${made.id}/skills`, { name })).body);
  }
  await call(`DELETE /agents/${made.id}/skills/${skills[1].id}`);
  const { body: read } = await call(`GET /agents/${made.id}`);
  assert.equal(read, { ...made, skills: [skills[0], skills[2]] });
  const { model: _, skills: __, ...plain } = made;
  assert.equal((await call('GET /agents')).body.data[0], plain);
  assert.equal((await call(`POST /agents/${made.id}/restore`)).body, plain);
});

test('agents are listed newest first, archived ones only on request', async () => {
  const { call } = await tandem.workspace();
  const ids: string[] = [];
  for (const name of ['A', 'B', 'C']) ids.unshift((await call('POST /agents', { name })).body.id);
  await call(`DELETE /agents/${ids[1]}`);
  const listed = async (query = '') =>
    (await call(`GET /agents${query}`)).body.data.map((each: { id: string }) => each.id);
  const all = await listed('?includeArchived=true');
  assert.equal(all.slice(0, 3), ids);
  assert.equal(await listed(), all.toSpliced(1, 1));
  assert.equal(await listed('?includeArchived=false&surprise=1'), all.toSpliced(1, 1));
  refused(await call('GET /agents?includeArchived=yes'), 400, 'includeArchived');
});

test('a name that an active agent has is refused, ignoring case; one of an archived agent is free', async () => {
  const { call } = await tandem.workspace();
  const { body: first } = await call('POST /agents', { name: 'Émile Scout' });
  for (const name of ['Émile Scout', 'ÉMILE SCOUT', 'émile scout', 'ASSISTANT']) {
    const answer = await call('POST /agents', { name });
    refused(answer, 409, 'name');
    assert.match(answer.body.message, /Choose another, or rename or archive that agent first/);
  }
  assert.is((await call('GET /agents')).body.data.length, 2);
  await call(`DELETE /agents/${first.id}`);
  const second = await call('POST /agents', { name: 'émile scout' });
  assert.is(second.status, 201);
  const other = await tandem.workspace();
  assert.is((await other.call('POST /agents', { name: 'Émile Scout' })).status, 201, 'names are of a workspace');
});

test('a name says something, and every text has its limit in code points', async () => {
  const { call } = await tandem.workspace();
  const longest = {
    name: '🦀'.repeat(80),
    description: '🦀'.repeat(2000),
    instructions: '🦀'.repeat(50_000),
    approvalGuidance: '🦀'.repeat(5000),
  };
  const { status, body } = await call('POST /agents', longest);
  assert.is(status, 201);
  assert.equal(body, { ...body, ...longest });
  const route = `PATCH /agents/${body.id}`;
  for (const [field, text] of Object.entries(longest)) {
    for (const wrong of [`${text}x`, 'a\0', '\ud800', 7, null, ['x']]) {
      refused(await call('POST /agents', { name: 'A', [field]: wrong }), 400, field);
      refused(await call(route, { [field]: wrong }), 400, field);
    }
  }
  for (const name of ['', ' ', '\u00a0\n']) {
    refused(await call('POST /agents', { name }), 400, 'name');
    refused(await call(route, { name }), 400, 'name');
  }
  refused(await call('POST /agents', {}), 400, 'name');
  refused(await call('POST /agents', { name: 'A', requiresApproval: 'no' }), 400, 'requiresApproval');
  for (const field of ['workingHours', 'archived', 'model', 'isDefault', 'version']) {
    refused(await call('POST /agents', { name: 'A', [field]: true }), 400, field);
  }
  assert.equal((await call(`GET /agents/${body.id}`)).body, body);
});

test('a key makes an agent once, and a name that was taken may be tried again with the same key', async () => {
  const { call } = await tandem.workspace();
  const headers = { 'idempotency-key': 'one' };
  const first = await call('POST /agents', { name: 'Scout' }, { headers });
  const again = await call('POST /agents', { name: 'Scout' }, { headers });
  assert.equal([again.status, again.text], [201, first.text]);
  assert.is(again.headers.get('idempotency-replayed'), 'true');
  assert.is(again.headers.get('etag'), first.headers.get('etag'));
  refused(await call('POST /agents', { name: 'Other' }, { headers }), 409, 'Idempotency-Key', 'idempotency_key_reused');
  const taken = { headers: { 'idempotency-key': 'two' } };
  refused(await call('POST /agents', { name: 'scout' }, taken), 409, 'name');
  await call(`DELETE /agents/${first.body.id}`);
  assert.is((await call('POST /agents', { name: 'scout' }, taken)).status, 201);
});

test('one tag stands for an agent, whichever operation shows it, and changes with its skills', async () => {
  const { call } = await tandem.workspace();
  const made = await call('POST /agents', { name: 'Scout' });
  const path = `/agents/${made.body.id}`;
  const current = async () => (await call(`GET ${path}`)).headers.get('etag') ?? '';
  assert.is(made.headers.get('etag'), await current());
  const { body: skill } = await call(`POST ${path}/skills`, { name: 'Digest' });
  const withSkill = await current();
  assert.is.not(withSkill, made.headers.get('etag'));
  const headers = { 'if-none-match': withSkill };
  assert.is((await call(`GET ${path}`, undefined, { headers })).status, 304);
  refusedAsStale(await call(`PATCH ${path}`, { name: 'B' }, ifMatch(made.headers.get('etag'))));
  const changed = await call(`PATCH ${path}`, { name: 'B' }, ifMatch(withSkill));
  assert.is(changed.status, 200);
  assert.is(changed.headers.get('etag'), await current());
  const same = await call(`PATCH ${path}`, { name: 'B' }, ifMatch(await current()));
  assert.is(same.headers.get('etag'), await current());
  refusedAsStale(await call(`DELETE ${path}`, undefined, ifMatch(withSkill)));
  assert.is((await call(`DELETE ${path}`, undefined, ifMatch(await current()))).status, 200);
  const restored = await call(`POST ${path}/restore`);
  assert.is(restored.headers.get('etag'), await current());
  await call(`PATCH ${path}/skills/${skill.id}`, { archived: true });
  refusedAsStale(await call(`PATCH ${path}`, { name: 'C' }, ifMatch(restored.headers.get('etag'))));
  assert.is((await call(`PATCH ${path}`, { name: 'C' }, ifMatch('*'))).status, 200);
});

function ifMatch(tag: string | null) {
  return { headers: { 'if-match': tag ?? '' } };
}

function refusedAsStale(answer: { status: number; body: { reason: string } }) {
  assert.equal([answer.status, answer.body.reason], [412, 'precondition_failed']);
}

test('an agent of another workspace is not found, and is not changed', async () => {
  const [{ call }, other] = [await tandem.workspace(), await tandem.workspace()];
  const { body: foreign } = await other.call('POST /agents', { name: 'Theirs' });
  const routes: [string, unknown?][] = [
    ['GET /agents/{id}'],
    ['PATCH /agents/{id}', { name: 'Mine' }],
    ['DELETE /agents/{id}'],
    ['POST /agents/{id}/preview', { name: 'Mine' }],
    ['POST /agents/{id}/restore'],
    ['GET /agents/{id}/skills'],
    ['POST /agents/{id}/skills', { name: 'Mine' }],
  ];
  for (const [route, body] of routes) {
    for (const id of [foreign.id, unknownId]) refused(await call(route.replace('{id}', id), body), 404, 'agentId');
    refused(await call(route.replace('{id}', 'x'), body), 400, 'agentId');
  }
  assert.equal((await other.call(`GET /agents/${foreign.id}`)).body, foreign);
});

test('a running agent gets its current settings, with its active skills by name', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const { body: made } = await call('POST /agents', { name: 'Scout', instructions: 'Be brief.' });
  const first = (await call(`POST /agents/${made.id}/skills`, { name: 'One', instructions: 'Long text.' })).body;
  const gone = (await call(`POST /agents/${made.id}/skills`, { name: 'Two' })).body;
  const last = (await call(`POST /agents/${made.id}/skills`, { name: 'Three' })).body;
  await call(`DELETE /agents/${made.id}/skills/${gone.id}`);
  await call(`PATCH /agents/${made.id}`, { approvalGuidance: 'Ask.', instructions: 'Be briefer.' });
  assert.equal(await agentAtWork(tandem.db, workspaceId, made.id), {
    id: made.id,
    name: 'Scout',
    description: null,
    instructions: 'Be briefer.',
    requiresApproval: true,
    approvalGuidance: 'Ask.',
    isDefault: false,
    isArchived: false,
    skills: [
      { id: first.id, name: 'One', summary: null },
      { id: last.id, name: 'Three', summary: null },
    ],
  });
  const assistant = await agentAtWork(tandem.db, workspaceId, await assistantOf(tandem, workspaceId));
  assert.equal([assistant.isDefault, assistant.requiresApproval, assistant.skills], [true, false, []]);
  const other = await tandem.workspace();
  const stolen = await agentAtWork(tandem.db, other.workspaceId, made.id).catch((error) => error.problem?.status);
  assert.is(stolen, 404);
});

test.run();
