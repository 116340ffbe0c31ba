import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hours } from '../support/agent-fixtures.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { callTool, toolWorkspace } from '../support/mcp-clients.ts';

const test = suite('mcp agents');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());

const world = () => toolWorkspace(tandem);

test('an agent is made, shown, changed, archived and restored, by id or by name', async () => {
  const { use, call } = await world();
  const { data: made } = await use('create_agent', { name: 'Scout', instructions: 'Name sources.' });
  const { id, createdAt, updatedAt, ...agent } = made.agent;
  assert.equal(agent, {
    object: 'agent',
    name: 'Scout',
    instructions: 'Name sources.',
    version: 1,
    requiresApproval: true,
    workingHoursEnabled: false,
    isDefault: false,
    isArchived: false,
  });
  const shown = { agent: { ...made.agent, model: 'automatic' }, skills: [] };
  assert.equal((await use('get_agent', { agentId: id })).data, shown);
  assert.equal((await use('get_agent', { agentId: 'SCOUT' })).data, shown);
  const workingHours = hours('09:00', '24:00', 'Europe/Berlin');
  const change = { description: 'Finds.', clear: ['instructions'], workingHours, workingHoursEnabled: true };
  const { data: changed } = await use('update_agent', { agentId: 'scout', ...change, expectedVersion: 1 });
  assert.is('instructions' in changed.agent, false);
  assert.equal([changed.agent.version, changed.agent.workingHours], [2, workingHours]);
  assert.equal(changed.changes.slice(0, 2), [
    { object: 'agent_field_change', field: 'description', action: 'set', redacted: true, afterLength: 6 },
    { object: 'agent_field_change', field: 'instructions', action: 'cleared', redacted: true, beforeLength: 13 },
  ]);
  const archived = await use('update_agent', { agentId: 'Scout', archived: true });
  assert.is(archived.data.agent.isArchived, true);
  const restored = await use('update_agent', { agentId: 'Scout', archived: false });
  assert.equal([restored.data.agent.isArchived, restored.data.agent.version], [false, 4]);
  assert.is((await call(`GET /agents/${id}`)).body.version, 4);
});

test('a skill is made, shown, changed, archived and restored, with its agent by name or not at all', async () => {
  const { use, call } = await world();
  const { id: agentId } = (await use('create_agent', { name: 'Scout' })).data.agent;
  const { data: made } = await use('create_skill', { agentId: 'scout', name: 'Digest', instructions: 'Ten lines.' });
  const { id, createdAt, updatedAt, ...skill } = made.skill;
  assert.equal(skill, {
    object: 'agent_skill',
    agentId,
    name: 'Digest',
    instructions: 'Ten lines.',
    isArchived: false,
  });
  assert.equal((await use('get_skill', { skillId: id })).data, made);
  assert.equal((await use('get_skill', { skillId: id, agentId: 'Scout' })).data, made);
  assert.equal((await use('get_agent', { agentId })).data.skills, [{ id, name: 'Digest' }]);
  const changed = await use('update_skill', { skillId: id, name: 'Summary', clear: ['instructions'] });
  assert.equal([changed.data.skill.name, 'instructions' in changed.data.skill], ['Summary', false]);
  const archived = await use('update_skill', { skillId: id, agentId, archived: true });
  assert.is(archived.data.skill.isArchived, true);
  assert.equal((await use('list_skills', { agentId: 'Scout' })).data.data, []);
  assert.is((await use('list_skills', { agentId, includeArchived: true })).data.data.length, 1);
  assert.is((await use('update_skill', { skillId: id, archived: false })).data.skill.isArchived, false);
  assert.equal((await call(`GET /agents/${agentId}/skills`)).body.data.length, 1);
});

test('lists are brief, in pages of ten, each row once, and ten rows fit in 2,000 tokens', async () => {
  const { use, call } = await world();
  const description = 'd'.repeat(2000);
  const ids: string[] = [];
  for (let i = 0; i < 24; i++) {
    const body = { name: `Agent ${i} ${'n'.repeat(60)}`, description, instructions: 'x'.repeat(3000) };
    ids.unshift((await call('POST /agents', body)).body.id);
  }
  const skillIds: string[] = [];
  for (let i = 0; i < 12; i++) {
    const body = { name: `Skill ${i} ${'n'.repeat(60)}`, instructions: 'x'.repeat(3000) };
    skillIds.unshift((await call(`POST /agents/${ids[0]}/skills`, body)).body.id);
  }
  const walk = async (name: string, input: object) => {
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const { data, text } = await use(name, { ...input, ...(cursor && { cursor }) });
      assert.ok(text.length / 4 <= 2000, `${text.length / 4} tokens`);
      assert.not.match(text, 'xxx');
      seen.push(...data.data.map((row: { id: string }) => row.id));
      cursor = data.nextCursor;
      assert.is(data.hasMore, cursor !== undefined);
      if (cursor === undefined) return seen;
    }
  };
  const agents = await walk('list_agents', {});
  assert.equal(agents.slice(0, 24), ids);
  assert.is(agents.length, 25, 'the default agent is the oldest');
  assert.equal(await walk('list_agents', { limit: 7 }), agents);
  assert.equal(await walk('list_skills', {}), skillIds);
  assert.equal(await walk('list_skills', { agentId: ids[0], limit: 5 }), skillIds);
  assert.equal(await walk('list_skills', { agentId: ids[1] }), []);
  const { data } = await use('list_agents');
  assert.is(data.data[0].description.length, 200);
  assert.match(data.rest, /get_agent/);
  const foreign = await use('list_agents', { cursor: data.nextCursor, includeArchived: true });
  assert.is(foreign.data.code, 'invalid_cursor');
  assert.is((await use('list_skills', { cursor: data.nextCursor })).data.code, 'invalid_cursor');
  assert.is((await use('list_agents', { limit: 51 })).data.param, 'limit');
});

test('long texts are cut, say so, and are read on in parts', async () => {
  const { use } = await world();
  const long = (length: number) => Array.from({ length }, (_, i) => (i % 7 ? String(i % 10) : '🌱')).join('');
  const given = { name: 'Scout', instructions: long(5000), approvalGuidance: long(4500) };
  const { data: made } = await use('create_agent', given);
  assert.is(made.truncated, true);
  assert.match(made.rest, /get_agent with instructionsOffset/);
  const { skill } = (await use('create_skill', { agentId: 'Scout', name: 'Digest', instructions: long(6000) })).data;
  const whole = async (name: string, input: object, offset: string, field: [string, string]) => {
    const [object, key] = field;
    let read = '';
    for (let more = true; more; ) {
      const { data } = await use(name, { ...input, [offset]: Array.from(read).length });
      read += data[object][key];
      more = data.cut?.some((each: { field: string }) => each.field === `${object}.${key}`) ?? false;
    }
    return read;
  };
  const agentId = made.agent.id;
  const parts = (offset: string, key: string) => whole('get_agent', { agentId }, offset, ['agent', key]);
  assert.is(await parts('instructionsOffset', 'instructions'), given.instructions);
  assert.is(await parts('guidanceOffset', 'approvalGuidance'), given.approvalGuidance);
  const skillId = skill.id;
  assert.is(await whole('get_skill', { skillId }, 'instructionsOffset', ['skill', 'instructions']), long(6000));
});

test('an agent with many skills shows the newest and how many more there are', async () => {
  const { use, call } = await world();
  const { body: agent } = await call('POST /agents', { name: 'Scout' });
  for (let i = 0; i < 23; i++) await call(`POST /agents/${agent.id}/skills`, { name: `Skill ${i}` });
  const { data } = await use('get_agent', { agentId: 'Scout' });
  assert.equal(
    data.skills.map((each: { name: string }) => each.name),
    Array.from({ length: 20 }, (_, i) => `Skill ${22 - i}`),
  );
  assert.is(data.moreSkills, 3);
});

test('errors name the argument and what to do', async () => {
  const { use } = await world();
  await use('create_agent', { name: 'Scout' });
  const taken = await use('create_agent', { name: 'SCOUT' });
  assert.equal([taken.isError, taken.data.code, taken.data.param], [true, 'resource_conflict', 'name']);
  const unknown = await use('get_agent', { agentId: 'Nobody' });
  assert.equal([unknown.data.param, unknown.data.allowedValues], ['agentId', ['Assistant', 'Scout']]);
  const stale = await use('update_agent', { agentId: 'Scout', name: 'A', expectedVersion: 7 });
  assert.equal([stale.data.code, stale.data.param], ['resource_conflict', 'expectedVersion']);
  assert.match(stale.data.message, /at version 1 now, not 7/);
  const enabled = await use('update_agent', { agentId: 'Scout', workingHoursEnabled: true });
  assert.equal([enabled.data.code, enabled.data.param], ['validation_failed', 'workingHoursEnabled']);
  const kept = await use('update_agent', { agentId: 'Assistant', archived: true });
  assert.match(kept.data.message, /default agent cannot be archived/);
  const both = await use('update_agent', { agentId: 'Scout', description: 'A', clear: ['description'] });
  assert.is(both.data.param, 'clear[0]');
});

test('what belongs to another workspace, or another agent, reads as missing', async () => {
  const [mine, theirs] = [await world(), await world()];
  const agentId = (await theirs.use('create_agent', { name: 'Theirs' })).data.agent.id;
  const skillId = (await theirs.use('create_skill', { agentId, name: 'Digest' })).data.skill.id;
  await mine.use('create_agent', { name: 'Mine' });
  const unknown = crypto.randomUUID();
  for (const [name, input, param] of [
    ['get_agent', { agentId }, 'agentId'],
    ['update_agent', { agentId, name: 'Stolen' }, 'agentId'],
    ['create_skill', { agentId, name: 'Stolen' }, 'agentId'],
    ['get_skill', { skillId }, 'skillId'],
    ['get_skill', { skillId, agentId: 'Mine' }, 'skillId'],
    ['get_skill', { skillId, agentId }, 'agentId'],
    ['update_skill', { skillId, name: 'Stolen' }, 'skillId'],
    ['update_skill', { skillId, agentId: 'Mine', name: 'Stolen' }, 'skillId'],
  ] as const) {
    const { data } = await mine.use(name, input);
    assert.equal([data.code, data.param], ['resource_not_found', param], name);
    const other = await mine.use(name, { ...input, [param]: unknown });
    assert.equal({ ...other.data, requestId: '' }, { ...data, requestId: '' });
  }
  assert.is((await mine.use('get_agent', { agentId: 'Theirs' })).data.code, 'validation_failed');
  assert.equal((await mine.use('list_skills', { agentId })).data.data, []);
  assert.is((await theirs.use('get_agent', { agentId })).data.agent.version, 1);
});

test('the tools that write refuse whoever may only read agents', async () => {
  const { mint, use } = await world();
  const key = await mint(['agents:read']);
  assert.is((await callTool(tandem.url, key, 'list_agents')).isError, false);
  for (const name of ['create_agent', 'update_agent', 'create_skill', 'update_skill']) {
    assert.is((await callTool(tandem.url, key, name)).data.code, 'missing_scope', name);
  }
  assert.is((await use('list_agents')).data.data.length, 1);
});

test.run();
