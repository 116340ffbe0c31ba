import { v7 as newId } from 'uuid';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { type Operation, type Tool, toolsOf } from '../../adapters/operations.ts';
import { scopes } from '../../domain/scopes.ts';
import { toolRouter } from '../../routers/tools/index.ts';
import { validRequest } from '../fixtures/operations.ts';
import { startWithoutAgents } from '../support/chat-fixtures.ts';
import { newGrant } from '../support/grants.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { idPlaces, kindsAt, paramAt, withAt } from '../support/id-places.ts';
import { raw } from '../support/mcp-clients.ts';
import { operations } from '../support/operation-suite.ts';

/*
 * Wherever a procedure or a tool takes an id, one of another workspace is answered as one that nobody has, with the
 * same effects, and without any on the other workspace. (Over REST: tests/proof/every-operation.test.ts.)
 */
const test = suite('ids of other workspaces');
type Ids = Record<string, string>;
type Input = Record<string, unknown>;
let tandem: TestService;
let mine: TestWorkspace;
let other: TestWorkspace;
/** What each workspace has, by the names of path parameters. */
let own: Ids;
let foreign: Ids;
let app: string;

/** Something of everything that a path can name. */
async function stock(workspace: TestWorkspace): Promise<Ids> {
  const ids: Ids = {};
  for (const operation of operations.filter(({ pathParameters }) => pathParameters.length > 0)) {
    Object.assign(ids, (await validRequest(operation, workspace)).path);
  }
  const { body } = await workspace.call('GET /agents');
  return { ...ids, userId: workspace.userId, agentId: body.data[0].id };
}

test.before(async () => {
  tandem = await startWithoutAgents();
  [mine, other] = [await tandem.workspace(), await tandem.workspace()];
  [own, foreign] = [await stock(mine), await stock(other)];
  app = await (await newGrant(tandem, mine, scopes)).token();
});
test.after(() => tandem.close());

// What the service does by itself, some time after a change.
const later = ['event_queue', 'events', 'event_positions', 'counted_workspaces', 'todo_counts', 'todo_count_changes'];
const tables = `select table_name as name from information_schema.columns
  where table_schema = 'public' and column_name = 'workspace_id' and not table_name = any($1)`;

/** A hash of each table of the workspace, and how many events there are. */
async function stateOf({ workspaceId }: TestWorkspace): Promise<Ids> {
  const names = await tandem.db.rows<{ name: string }>(tables, [later]);
  const hashes = names.map(({ name }) => {
    return `select '${name}' as name, md5(coalesce(string_agg(md5(t::text), '' order by md5(t::text)), '')) as hash
      from ${name} t where workspace_id = $1`;
  });
  hashes.push(`select 'events', (select count(*) from events where workspace_id = $1)
    + (select count(*) from event_queue where workspace_id = $1) || ''`);
  const rows = await tandem.db.rows<{ name: string; hash: string }>(hashes.join(' union all '), [workspaceId]);
  return Object.fromEntries(rows.map(({ name, hash }) => [name, hash]));
}

function changedIn(before: Ids, after: Ids): string[] {
  return Object.keys(after).filter((name) => before[name] !== after[name]);
}

/** An answer without what differs between any two requests; the id that was given is named so. */
function comparable(text: string, given: string): string {
  const ids: string[] = [];
  const numbered = (id: string) => `id ${ids.includes(id) ? ids.indexOf(id) : ids.push(id) - 1}`;
  return text
    .replaceAll('\\"', '"')
    .replaceAll(given, 'given')
    .replaceAll(/"(requestId|position|nextCursor)":"[^"]*"/g, '')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, numbered);
}

interface Asked {
  status: number;
  text: string;
  /** Of an error. */
  param: string | null | undefined;
}

interface Prepared {
  input: Input;
  key: string;
}

/** Asks with an id that nobody has and with one of the other workspace; compares the answers, and what they changed. */
async function compare(
  place: string,
  kind: string,
  prepare: () => Promise<Prepared>,
  ask: (input: unknown, key: string) => Promise<Asked>,
): Promise<Asked> {
  const theirs = /(^|\.)id$/.test(place) && !place.includes('assignees') ? await newTodoOf(other) : foreign[kind];
  const seen: unknown[] = [];
  let unknown: Asked | undefined;
  for (const id of [newId(), theirs ?? '']) {
    const { input, key } = await prepare();
    const before = [await stateOf(mine), await stateOf(other)] as const;
    const answer = await ask(withAt(input, place, id), key);
    // When a credential was last used is noted once a minute.
    const changed = changedIn(before[0], await stateOf(mine)).filter((name) => name !== 'credentials');
    assert.equal(changedIn(before[1], await stateOf(other)), [], `${place}: ${answer.text}`);
    if (answer.param !== undefined) assert.equal(changed, [], answer.text);
    seen.push([answer.status, comparable(answer.text, id), changed]);
    unknown ??= answer;
  }
  assert.equal(seen[1], seen[0], `${place} of ${kind}`);
  return unknown as Asked;
}

async function newTodoOf({ call }: TestWorkspace): Promise<string> {
  return (await call('POST /todos', { title: 'Theirs' })).body.id;
}

async function overTrpc({ type, name, stream }: Operation, input: unknown, key: string, headers = {}): Promise<Asked> {
  const isRead = type === 'query';
  const query = isRead ? `?input=${encodeURIComponent(JSON.stringify(input))}` : '';
  const response = await fetch(`${tandem.url}/trpc/${name}${query}`, {
    method: isRead ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, ...(!isRead && { 'content-type': 'application/json' }), ...headers },
    ...(!isRead && { body: JSON.stringify(input) }),
  });
  assert.ok(!stream || response.status >= 400, 'a stream was opened');
  const text = await response.text();
  return { status: response.status, text, param: JSON.parse(text).error?.data.problem.param };
}

/** A valid input of a procedure, in which a place can be filled. */
async function inputFor(operation: Operation, place: string): Promise<Prepared> {
  const { path, body, query, key = mine.key } = await validRequest(operation, mine);
  const given = [...new URLSearchParams(query)].map(([name, value]) => [name, value === 'true' ? true : value]);
  const input: Input = { ...path, ...body, ...Object.fromEntries(given) };
  if (place.startsWith('where.')) delete input.ids;
  if (place === 'before') delete input.after;
  return { input, key: key ?? '' };
}

/** Errors that are not about the id: a stream, or what has to be confirmed first. */
const apart = ['events.stream', 'secondFactors.deletePasskey'];

for (const operation of operations) {
  const places = idPlaces(operation.input);
  if (places.length === 0) continue;
  test(`${operation.name} over tRPC`, async () => {
    for (const place of places) {
      for (const kind of kindsAt(place, foreign)) {
        const isInPath = operation.pathParameters.includes(place);
        const headers = () => ({
          ...(operation.type === 'mutation' && { 'idempotency-key': newId() }),
          ...(isInPath && operation.etag && { 'if-match': '"stale"' }),
        });
        const prepare = () => inputFor(operation, place);
        const { param, text } = await compare(place, kind, prepare, (input, key) =>
          overTrpc(operation, input, key, headers()),
        );
        if (isInPath && !apart.includes(operation.name)) assert.is(param, place, text);
        else if (param) assert.is(param, paramAt(place), text);
      }
    }
  });
}

/** Valid arguments of a tool: its required fields, and something to change. */
async function argumentsFor({ input, readOnly }: Tool): Promise<Input> {
  const { required = [], properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const known: Ids = { ...own, message: 'Hello.', name: newId() };
  if (required.includes('todoId')) known.todoId = await newTodoOf(mine);
  if (required.includes('chatId')) {
    known.chatId = (await mine.call('POST /chats', { message: 'Hello.' })).body.id;
    await mine.call(`POST /chats/${known.chatId}/cancel`);
  }
  const change = ['title', 'name', 'description', 'notes'].find((name) => name in properties);
  const names = readOnly || !change ? required : [...required, change];
  return Object.fromEntries(names.map((name) => [name, known[name] ?? 'Changed']));
}

for (const tool of toolsOf(toolRouter)) {
  const places = idPlaces(tool.input);
  if (places.length === 0) continue;
  test(`${tool.name} over MCP`, async () => {
    for (const place of places) {
      for (const { kind, key } of kindsAt(place, foreign).flatMap((each) =>
        [mine.key, app].map((key) => ({ kind: each, key })),
      )) {
        const prepare = async () => ({ input: await argumentsFor(tool), key });
        const { param, text } = await compare(place, kind, prepare, async (input) => {
          const params = { name: tool.name, arguments: input };
          const answer = await raw(tandem.url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { key });
          const { isError, structuredContent } = answer.body.result;
          return { ...answer, param: isError ? (structuredContent.param ?? null) : undefined };
        });
        if (param !== undefined) assert.is(param, paramAt(place), text);
      }
    }
  });
}

test('a batch answers each of ten calls as it would alone', async () => {
  for (const [name, type] of [
    ['todos.get', 'GET'],
    ['todos.update', 'POST'],
  ] as const) {
    const answers: unknown[] = [];
    const before = await stateOf(other);
    for (const id of [newId(), foreign.todoId ?? '']) {
      const todoId = await newTodoOf(mine);
      const inputs = Array.from({ length: 10 }, (_, place) => ({
        todoId: place % 3 === 0 ? todoId : id,
        ...(type === 'POST' && { content: `${place}` }),
      }));
      const body = JSON.stringify(Object.fromEntries(inputs.entries()));
      const query = type === 'GET' ? `&input=${encodeURIComponent(body)}` : '';
      const response = await fetch(`${tandem.url}/trpc/${Array(10).fill(name)}?batch=1${query}`, {
        method: type,
        headers: { authorization: `Bearer ${mine.key}`, 'content-type': 'application/json' },
        ...(type === 'POST' && { body }),
      });
      const results = JSON.parse(await response.text()) as { error?: { data: { problem: object } } }[];
      const problems = results.map(({ error }) => error && comparable(JSON.stringify(error.data.problem), id));
      assert.equal(
        problems.map(Boolean),
        inputs.map((each) => each.todoId === id),
      );
      answers.push([response.status, problems]);
    }
    assert.equal(answers[1], answers[0], name);
    assert.equal(changedIn(before, await stateOf(other)), [], name);
  }
});

test.run();
