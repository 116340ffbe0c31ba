import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { type Tool, toolsOf } from '../../adapters/operations.ts';
import { type Scope, scopes } from '../../domain/scopes.ts';
import type { EngineRequest } from '../../engine/engine.ts';
import { toolRouter } from '../../routers/tools/index.ts';
import { lackingScopes } from '../../routers/tools/tool.ts';
import { numbered } from '../support/event-log.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { reply, ScriptedEngine, settled, untilAnswer, use } from '../support/scripted-engine.ts';
import { countsAdded } from '../support/todo-fixtures.ts';
import { until } from '../support/until.ts';
import { agentOf, bodyOf, messagesOf } from '../support/work-fixtures.ts';

const test = suite('agents stay inside their workspace');
const engine = new ScriptedEngine();
const tools = toolsOf(toolRouter);
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({}, { engine });
});
test.after(() => tandem.close());

/** A name that is answered with the names that there are. */
const nobody = 'Nobody of this name';

interface World {
  workspace: TestWorkspace;
  /** Stands in every text of the workspace. */
  mark: string;
  /** Ids and names by the argument of a tool that takes them. */
  known: Record<string, unknown[]>;
}

/** A workspace with one of everything that has an id or a name. */
async function worldOf(mark: string): Promise<World> {
  const workspace = await tandem.workspace();
  const { call, userId } = workspace;
  const make = async (path: string, body: object) => bodyOf(await call(`POST ${path}`, body), 201);
  const names = { agent: `${mark} agent`, list: `${mark} list`, skill: `${mark} skill` };
  const agentId = await agentOf(workspace, { name: names.agent, instructions: mark });
  const list = await make('/todo-lists', { name: names.list });
  const skill = await make(`/agents/${agentId}/skills`, { name: names.skill, instructions: mark });
  const title = `${mark} todo`;
  const todo = await make('/todos', { title, content: mark, todoListId: list.id, assignees: [{ id: agentId }] });
  for (const n of [1, 2, 3]) await make('/todos', { title: `${mark} ${n}` });
  const chat = await make('/chats', { message: `${mark} ${engine.plan([reply(mark)])}`, title: mark, agentId });
  await settled(workspace, chat.id);
  const capture = await make('/captures', { type: 'note', content: `${mark} capture`, tags: [`${mark} tag`] });
  const known = {
    todoId: [todo.id],
    chatId: [chat.id],
    agentId: [agentId, names.agent, nobody],
    skillId: [skill.id, names.skill, nobody],
    todoListId: [list.id, names.list, nobody],
    todoListName: [names.list, nobody],
    assigneeId: [userId, agentId, names.agent, nobody],
    assignees: [[{ id: userId }], [{ id: agentId }]],
    captureId: [capture.id],
    captureIds: [[capture.id]],
  };
  return { workspace, mark, known };
}

/**
 * Everything that the database has of a workspace, table by table, once its events are numbered and its todos counted.
 */
async function rowsOf({ workspaceId }: TestWorkspace): Promise<Record<string, string>> {
  await numbered(tandem, workspaceId);
  await countsAdded(tandem, workspaceId);
  const tables = await tandem.db.rows<{ name: string }>(
    `select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and c.column_name = 'workspace_id' and t.table_type = 'BASE TABLE' order by 1`,
    [],
  );
  assert.ok(tables.length > 10, String(tables.length));
  const dump: Record<string, string> = {};
  // Credentials record when they were last used, and the test itself uses them.
  for (const { name } of tables.filter((table) => table.name !== 'credentials')) {
    const text = `select coalesce(json_agg(t order by t::text), '[]')::text as rows from ${name} t where workspace_id = $1`;
    dump[name] = (await tandem.db.rows<{ rows: string }>(text, [workspaceId], 'custom'))[0]?.rows ?? '';
  }
  return dump;
}

/** Waits for the texts that are written beside the work: they would come into the picture. */
async function untilWritten({ call, workspaceId }: TestWorkspace): Promise<void> {
  for (const [path, text] of [
    ['/chats?includeArchived=true', 'subtitle'],
    ['/skills', 'summary'],
    ['/captures', 'summary'],
  ] as const) {
    await untilAnswer(
      () => call(`GET ${path}`),
      ({ body }) => body.data.every((each: Record<string, unknown>) => each[text] !== null),
    );
  }
  // The text is there before what asked for it is gone.
  const left = `select 1 from digests where workspace_id = $1 union all select 1 from capture_work where workspace_id = $1`;
  await until(async () => (await tandem.db.rows(left, [workspaceId])).length === 0);
}

type Call = [name: string, input: Record<string, unknown>];

const texts: Record<string, unknown> = { title: 'Mine', message: 'Mine', name: 'Mine' };

/** The arguments that a tool cannot do without, of the workspace itself. */
function required(tool: Tool, { known }: World): Record<string, unknown> {
  const { required: names = [] } = z.toJSONSchema(tool.input, { io: 'input' }) as { required?: string[] };
  return Object.fromEntries(names.map((name) => [name, known[name]?.[0] ?? texts[name]]));
}

/** Every call of every tool with something of another workspace, alone and all at once. */
function foreignCalls(own: World, other: World): Call[] {
  return tools.flatMap((tool): Call[] => {
    const named = Object.keys(tool.input.shape).filter((name) => name in other.known);
    const base = required(tool, own);
    const each = named.flatMap((name) =>
      (other.known[name] ?? []).map((value): Call => [tool.name, { ...base, [name]: value }]),
    );
    const ids = named.filter((name) => name !== 'todoListName' || !named.includes('todoListId'));
    const together = Object.fromEntries(ids.map((name) => [name, other.known[name]?.[0]]));
    return ids.length > 1 ? [...each, [tool.name, { ...base, ...together }]] : each;
  });
}

/** An agent makes no more at once. */
const callsPerAnswer = 50;

/** Runs calls in one turn of an agent; a person agrees to all that it asks for. Results in the order of the calls. */
async function resultsOf({ call }: TestWorkspace, agentId: unknown, calls: Call[]) {
  const answers: Call[][] = [];
  for (let from = 0; from < calls.length; from += callsPerAnswer)
    answers.push(calls.slice(from, from + callsPerAnswer));
  const plan = engine.plan([...answers.map((each) => use(...each)), reply('That is all.')]);
  const { id } = bodyOf(await call('POST /chats', { message: plan, agentId, title: 'Calls' }), 201);
  for (;;) {
    const { body: chat } = await settled({ call }, id);
    if (chat.status !== 'awaiting_input') {
      assert.is(chat.status, 'completed', chat.errorMessage);
      break;
    }
    const { data } = bodyOf(await call(`GET /approvals?chatId=${id}&status=pending&limit=100`));
    for (const approval of data) bodyOf(await call(`POST /approvals/${approval.id}/decide`, { decision: 'approve' }));
  }
  const blocks: Record<string, unknown>[] = [];
  for (let after = 0, more = true; more; ) {
    const page = bodyOf(await call(`GET /chats/${id}/messages?limit=100&afterSequence=${after}`));
    blocks.push(...page.data.flatMap((message: { blocks: object[] }) => message.blocks));
    after = page.data.at(-1).sequence;
    more = page.hasMore;
  }
  const callIds = blocks.filter(({ type }) => type === 'tool_call').map((block) => block.id);
  return callIds.map((callId, place) => {
    const found = blocks.find(({ type, toolCallId }) => type === 'tool_result' && toolCallId === callId);
    assert.ok(found, `a result of ${JSON.stringify(calls[place])}`);
    return found as { isError: boolean; output: { code?: string; data?: unknown[]; nextCursor?: string } };
  });
}

test('no tool reads, names or changes anything of another workspace, by its ids, names or cursors', async () => {
  const own = await worldOf(`OWN-${crypto.randomUUID()}`);
  const other = await worldOf(`SECRET-${crypto.randomUUID()}`);
  const listing = tools.filter(({ name }) => /^list_/.test(name));
  const pages = listing.map(({ name }): Call => [name, { limit: 1 }]);
  const paged = await resultsOf(own.workspace, own.known.agentId?.[0], pages);
  assert.equal(
    paged.map(({ isError }) => isError),
    pages.map(() => false),
    'lists work',
  );
  const foreignPages = await resultsOf(other.workspace, other.known.agentId?.[0], pages);
  const withCursor = listing.flatMap(({ name }, place): Call[] => {
    const cursor = foreignPages[place]?.output.nextCursor;
    return cursor ? [[name, { limit: 1, cursor }]] : [];
  });
  assert.ok(withCursor.length >= 3, 'lists have cursors to try');
  await untilWritten(other.workspace);
  const picture = await rowsOf(other.workspace);

  const calls: Call[] = [
    ...foreignCalls(own, other),
    ...withCursor,
    ['list_todos', { query: other.mark }],
    ['list_chats', { query: other.mark }],
    ['list_captures', { query: other.mark }],
    ['list_captures', { tags: [`${other.mark} tag`] }],
    ...listing.map(
      ({ name, input }): Call => [name, 'includeArchived' in input.shape ? { includeArchived: true } : {}],
    ),
  ];
  for (const { name, input } of tools) {
    const takesIds = Object.keys(input.shape).some((argument) => /Ids?$|^assignees$|ListName$/.test(argument));
    if (takesIds)
      assert.ok(
        calls.some(([called]) => called === name),
        `${name} is tried`,
      );
  }
  const results = await resultsOf(own.workspace, own.known.agentId?.[0], calls);
  assert.is(results.length, calls.length);
  for (const [place, { isError, output }] of results.entries()) {
    const [name, input] = calls[place] as Call;
    const message = `${name} ${JSON.stringify(input)}: ${JSON.stringify(output)}`;
    assert.not.match(JSON.stringify(output), new RegExp(other.mark), message);
    const filters = Object.keys(input).some(
      (argument) => argument in other.known || ['query', 'tags'].includes(argument),
    );
    if (!/^list_/.test(name) || input.cursor) {
      assert.ok(isError, message);
      assert.ok(['resource_not_found', 'validation_failed', 'invalid_cursor'].includes(output.code ?? ''), message);
    } else if (filters) assert.ok(isError || output.data?.length === 0, message);
  }
  assert.equal(await rowsOf(other.workspace), picture, 'nothing of it changed');

  const mine = await rowsOf(own.workspace);
  for (const [table, rows] of Object.entries(mine)) {
    if (['messages', 'approvals', 'idempotency_keys'].includes(table)) continue;
    assert.not.match(rows, new RegExp(other.mark), table);
    for (const id of Object.values(other.known).flat(3)) {
      const foreign = typeof id === 'object' ? (id as { id: string }).id : String(id);
      assert.ok(!rows.includes(foreign), `${table} names ${foreign}`);
    }
  }
});

test('the same calls with what is its own work: the agent is kept in, not shut out', async () => {
  const own = await worldOf(`OWN-${crypto.randomUUID()}`);
  const reads = tools.filter(({ readOnly }) => readOnly);
  const calls = reads.map((tool): Call => [tool.name, required(tool, own)]);
  const results = await resultsOf(own.workspace, own.known.agentId?.[0], calls);
  for (const [place, { isError, output }] of results.entries())
    assert.not.ok(isError, `${calls[place]}: ${JSON.stringify(output)}`);
  assert.match(JSON.stringify(results), new RegExp(own.mark));
});

test('the prompt of a model has no data of another workspace', async () => {
  const other = await worldOf(`SECRET-${crypto.randomUUID()}`);
  const own = await worldOf(`OWN-${crypto.randomUUID()}`);
  let request: EngineRequest | undefined;
  const plan = engine.plan((asked) => {
    request = asked;
    return reply('I see.');
  });
  const [todoId, agentId] = [own.known.todoId?.[0], own.known.agentId?.[0]];
  const { id } = bodyOf(await own.workspace.call('POST /chats', { message: plan, todoId, agentId }), 201);
  await settled(own.workspace, id);
  const { system, conversation, facts } = request ?? {};
  const prompt = JSON.stringify({ system, conversation, facts });
  assert.match(prompt, new RegExp(own.mark));
  assert.not.match(prompt, new RegExp(other.mark));
  for (const foreign of [other.workspace.userId, other.workspace.workspaceId])
    assert.not.match(prompt, new RegExp(foreign));
});

test('an agent has the tools that its authority covers: captures only for a starter who may read or write them', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const ofCaptures = scopes.filter((scope) => scope.startsWith('captures:'));
  const rest = scopes.filter((scope) => !ofCaptures.includes(scope));
  const starters: [granted: Scope[], authority: Scope[]][] = [
    [[...scopes], [...scopes]],
    [rest, rest],
    [['chats:write'], rest],
    [
      ['chats:write', 'captures:read'],
      [...rest, 'captures:read'],
    ],
  ];
  for (const [granted, authority] of starters) {
    const key = await workspace.mint(granted);
    let seen: string[] = [];
    const inner = engine.plan(({ tools: declared }) => {
      seen = declared.map(({ name }) => name);
      return reply('I know.');
    });
    let first: string[] = [];
    const plan = engine.plan(({ tools: declared }, asked) => {
      first = declared.map(({ name }) => name);
      return asked === 0 ? use(['create_chat', { message: `Ask on: ${inner}` }]) : reply('I asked.');
    });
    const agentId = await agentOf(workspace);
    const { id } = bodyOf(await call('POST /chats', { message: plan, agentId }, { key }), 201);
    const { body: chat } = await settled(workspace, id);
    assert.is(chat.status, 'completed', chat.errorMessage);
    const messages = await messagesOf(workspace, id);
    const asked = messages.flatMap((message: { blocks: { output?: { chat?: { id: string } } }[] }) =>
      message.blocks.flatMap(({ output }) => output?.chat?.id ?? []),
    );
    assert.is(asked.length, 1);
    await settled(workspace, asked[0]);
    const allowed = tools.filter((tool) => lackingScopes(tool, { scopes: new Set(authority) }).length === 0);
    const names = allowed.map(({ name }) => name);
    assert.equal(first, names, granted.join());
    assert.equal(seen, names, 'and so for an agent that it asks');
    const turns = await tandem.db.rows<{ scopes: Scope[] }>(
      'select distinct scopes from chat_turns where workspace_id = $1 and chat_id = any($2::uuid[])',
      [workspace.workspaceId, [id, ...asked]],
    );
    assert.equal(
      turns.map((turn) => turn.scopes.toSorted()),
      [authority.toSorted()],
    );
  }
});

test.run();
