import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database, type Db } from '../../db/client.ts';
import { newChat } from '../support/chat-fixtures.ts';
import { startTestService, type TestService, type TestWorkspace, testDatabaseUrl } from '../support/harness.ts';
import { addMember, assistantOf } from '../support/todo-fixtures.ts';

const test = suite('statements per request');
let tandem: TestService;
let database: Database;
const statements: string[] = [];

/** The query builder, counting what it prepares: each statement once. Its sessions are internal to drizzle. */
function countedOrm(orm: Db['orm']): Db['orm'] {
  const { session } = orm as unknown as {
    session: { prepareQuery: (query: { sql: string }, ...more: unknown[]) => unknown };
  };
  const prepareQuery = (query: { sql: string }, ...more: unknown[]) => {
    statements.push(query.sql);
    return session.prepareQuery(query, ...more);
  };
  const countedSession = Object.create(session, { prepareQuery: { value: prepareQuery } });
  return Object.create(orm, { session: { value: countedSession } });
}

function counted<Kind extends Db>(db: Kind): Kind {
  return {
    ...db,
    engine: db.engine,
    get orm(): Db['orm'] {
      return countedOrm(db.orm);
    },
    as: (origin) => counted(db.as(origin)),
    notify: (channel, payload) => db.notify(channel, payload),
    rows: (text, values, plan) => {
      statements.push(text);
      return db.rows(text, values, plan);
    },
    lookUp: (text, values) => {
      statements.push(text);
      return db.lookUp(text, values);
    },
    transaction: (work, first) => {
      if (first) statements.push(first.text);
      return db.transaction((tx, rows: Parameters<typeof work>[1]) => work(counted(tx), rows), first);
    },
  } satisfies Db as unknown as Kind;
}

test.before(async () => {
  database = connect(testDatabaseUrl(), { poolSize: 4 });
  const db: Database = {
    ...counted(database),
    of: (workspaceId) => counted(database.of(workspaceId)),
    // The log of events is numbered and followed, and the numbers of todos are kept, beside the requests.
    for: (work) => (work === 'events' || work === 'maintenance' ? database.for(work) : counted(database.for(work))),
  };
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' }, { db });
});
test.after(async () => {
  await tandem.close();
  await database.close();
});

/** A workspace whose key was used before: on Citus the first request of a key is one statement more. */
async function usedWorkspace(): Promise<TestWorkspace> {
  const workspace = await tandem.workspace();
  await workspace.call('GET /me');
  return workspace;
}

/** How many statements a request runs, its credential and rate count included. */
async function cost(request: () => Promise<{ status: number; text: string }>): Promise<number> {
  statements.length = 0;
  const { status, text } = await request();
  assert.ok(status < 300, text);
  return statements.length;
}

test('a page of todos is one statement beside the credential, whatever the number of rows and assignees', async () => {
  const { call, userId, workspaceId } = await tandem.workspace();
  const assignees = [userId, await addMember(tandem, workspaceId, 'Ann'), await assistantOf(tandem, workspaceId)];
  const todo = { title: 'a word', assignees: assignees.map((id) => ({ id })), dueDate: '2026-03-01', priority: 'low' };
  for (const size of [1, 49, 50]) {
    await call('POST /todos/batch', { data: Array(size).fill(todo) });
    for (const sort of ['createdAt', 'updatedAt', 'dueDate', 'priority']) {
      for (const filter of ['', '&status=active', '&assignedToMe=true', '&query=word', '&dueBefore=2026-12-31']) {
        for (const limit of [1, 25, 100]) {
          const route = `GET /todos?limit=${limit}&sort=${sort}${filter}`;
          assert.is(await cost(() => call(route)), 2, route);
        }
      }
    }
  }
  const { body } = await call('GET /todos?limit=10');
  assert.is(await cost(() => call(`GET /todos?limit=10&cursor=${body.nextCursor}`)), 2);
  assert.is(await cost(() => call('GET /todos?include=totalCount')), 3);
  assert.is(await cost(() => call('GET /todos?query=nothing')), 2);
});

test('a page of todos that agents have run costs no more, and neither does one of them', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const assignees = [{ id: await assistantOf(tandem, workspaceId) }];
  const data = Array.from({ length: 30 }, () => ({ title: 'a word', assignees, run: true }));
  const { body } = await call('POST /todos/batch', { data });
  assert.is(body.data[29].latestRun.status, 'running');
  for (const route of [`/todos/${body.data[0].id}`, '/todos', '/todos?query=word', '/todos?assignedToMe=true']) {
    assert.is(await cost(() => call(`GET ${route}`)), 2, route);
  }
  assert.is(await cost(() => call(`GET /todos/${body.data[0].id}/runs`)), 2);
  assert.is(await cost(() => call(`PATCH /todos/${body.data[0].id}`, { title: 'b', status: 'in_progress' })), 2);
});

test('a page of captures is one statement beside the credential, and one of them is too', async () => {
  const { call } = await tandem.workspace();
  let id = '';
  for (const tag of ['one', 'two', 'three']) {
    id = (await call('POST /captures', { type: 'note', content: 'a word', tags: ['all', tag] })).body.id;
  }
  for (const query of [
    '',
    'limit=1',
    'type=note',
    'query=word',
    'query=nothing',
    'updatedSince=2026-01-01T00:00:00Z',
  ]) {
    assert.is(await cost(() => call(`GET /captures?${query}`)), 2, query);
  }
  assert.is(await cost(() => call('GET /captures?tags=All,one')), 3, 'and one for the spelling of tags');
  assert.is(await cost(() => call('GET /captures?include=totalCount')), 3);
  assert.is(await cost(() => call(`GET /captures/${id}`)), 2);
  assert.is(await cost(() => call('GET /captures/tags')), 2);
});

test('one todo, a summary and all lists are one statement each beside the credential', async () => {
  const { call } = await tandem.workspace();
  const { body: made } = await call('POST /todos', { title: 'a' });
  for (const name of ['A', 'B', 'C']) await call('POST /todo-lists', { name });
  for (const route of [`/todos/${made.id}`, '/todos/summary', '/todos/summary?query=a', '/todo-lists']) {
    assert.is(await cost(() => call(`GET ${route}`)), 2, route);
  }
  assert.is(await cost(() => call('POST /todos', { title: 'a' })), 2);
  assert.is(await cost(() => call(`PATCH /todos/${made.id}`, { title: 'b', status: 'done', dueDate: null })), 2);
});

test('a page of approvals is one statement beside the credential, and usage two, whatever there is', async () => {
  const { call, approval } = await usedWorkspace();
  for (let made = 0; made < 3; made++) {
    const id = await approval();
    for (const route of ['/approvals', '/approvals?status=pending&limit=1', `/approvals/${id}`]) {
      assert.is(await cost(() => call(`GET ${route}`)), 2, route);
    }
    for (const query of ['', '?from=2026-01-01&to=2026-12-31'])
      assert.is(await cost(() => call(`GET /usage${query}`)), 3);
  }
});

test('a page of chats or of messages is one statement beside the credential, and so is one chat', async () => {
  const { call, workspaceId } = await tandem.workspace();
  // Made behind the API's back: no agent goes to work and adds statements of its own.
  await database.rows(
    `insert into chats (workspace_id, id, status, title, search, message_count)
     select $1, gen_random_uuid(), 'completed', 'A word', 'a word', 20 from generate_series(1, 20)`,
    [workspaceId],
  );
  await database.rows(
    `insert into messages (workspace_id, chat_id, sequence, id, role, text, blocks)
     select $1, c.id, n, gen_random_uuid(), 'agent', 'Hello', '[]' from chats c, generate_series(1, 20) n where c.workspace_id = $1`,
    [workspaceId],
  );
  const { body } = await call('GET /chats?limit=10');
  const path = `/chats/${body.data[0].id}`;
  for (const route of [
    '/chats?limit=1',
    '/chats?limit=20&status=completed&includeArchived=true',
    `/chats?limit=10&cursor=${body.nextCursor}`,
    '/chats?query=word',
    '/chats?query=nothing',
    path,
    `${path}/messages?limit=1`,
    `${path}/messages?limit=20&waitSeconds=0`,
    `${path}/messages?afterSequence=20&waitSeconds=25`,
  ]) {
    assert.is(await cost(() => call(`GET ${route}`)), 2, route);
  }
});

test('the webhook endpoints with their newest deliveries are one statement beside the credential', async () => {
  const { call } = await tandem.workspace();
  for (let made = 0; made < 3; made++) {
    const endpoint = { url: 'https://hooks.invalid/', types: ['todo.created'], enabled: false };
    const { status, text } = await call('POST /webhook-endpoints', endpoint);
    assert.is(status, 201, text);
    assert.is(await cost(() => call('GET /webhook-endpoints')), 2);
  }
});

test('statements of the query builder are counted', async () => {
  const { call } = await usedWorkspace();
  const [created, found] = [() => call('POST /todo-lists', { name: 'A' }), () => call('GET /todo-lists')];
  assert.equal([await cost(created), await cost(found)], [6, 2], 'lock, count, insert, event and answer; all lists');
});

test('a batch and a bulk change run as many statements for many todos as for one', async () => {
  const { call, userId } = await tandem.workspace();
  const { body: list } = await call('POST /todo-lists', { name: 'A' });
  const todo = { title: 'a', todoListId: list.id, assignees: [{ id: userId }] };
  const batch = (size: number) => cost(() => call('POST /todos/batch', { data: Array(size).fill(todo) }));
  assert.equal([await batch(1), await batch(50)], [4, 4]);
  const ids = (await call('GET /todos?limit=50')).body.data.map(({ id }: { id: string }) => id);
  const patch = { title: 'b', todoListId: list.id, assignees: [{ id: userId }] };
  const bulk = (size: number) => cost(() => call('POST /todos/bulk', { ids: ids.slice(0, size), patch }));
  const one = await bulk(1);
  assert.equal(
    [await bulk(40), await bulk(50)],
    [one, one + 1],
    'how long they are, where they may be too long together',
  );
});

test('events add no statement to a chat, a message and the end of a turn', async () => {
  const workspace = await usedWorkspace();
  const { call } = workspace;
  const opened = await cost(() => call('POST /chats', { message: 'a', title: 'b' }));
  const { chat } = await newChat(tandem, workspace, { title: 'b' });
  const cancelled = await cost(() => call(`POST /chats/${chat.id}/cancel`));
  const sent = await cost(() => call(`POST /chats/${chat.id}/messages`, { message: 'b' }));
  assert.equal([opened, cancelled, sent], [3, 8, 7]);
});

test.run();
