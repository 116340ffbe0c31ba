import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { setSubtitle, setTitle } from '../../domain/chats/titles.ts';
import { newChat, settlings, startWithoutAgents } from '../support/chat-fixtures.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';

const test = suite('lists of chats');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after(() => tandem.close());

/** Chats made behind the API's back, their last messages some milliseconds apart, some at the same instant. */
async function fill({ workspaceId }: TestWorkspace, count: number): Promise<void> {
  const text = `insert into chats (workspace_id, id, status, title, search, created_at, last_message_at)
    select $1, gen_random_uuid(), 'completed', 'Chat ' || n, 'chat ' || n || E'\\n', now() - interval '1 day',
      now() - interval '1 hour' + (n / 3) * interval '1 millisecond'
    from generate_series(1, $2::int) n`;
  await tandem.db.rows(text, [workspaceId, count]);
}

/** Titles of a walk through all pages. */
async function walk({ call }: TestWorkspace, query: string): Promise<string[]> {
  const titles: string[] = [];
  let cursor = '';
  do {
    const { status, body, text } = await call(`GET /chats?${query}${cursor && `&cursor=${cursor}`}`);
    assert.is(status, 200, text);
    titles.push(...body.data.map((chat: { title: string }) => chat.title));
    assert.is(body.hasMore, body.nextCursor !== null);
    cursor = body.nextCursor ?? '';
  } while (cursor);
  return titles;
}

test('the most recently active chat comes first, whatever its age', async () => {
  const workspace = await tandem.workspace();
  const [first, second, third] = [
    await newChat(tandem, workspace),
    await newChat(tandem, workspace),
    await newChat(tandem, workspace),
  ];
  await first.agent.write('Still at it.');
  const { status, body } = await workspace.call('GET /chats');
  assert.is(status, 200);
  assert.equal(
    body.data.map(({ id }: { id: string }) => id),
    [first.chat.id, third.chat.id, second.chat.id],
  );
  const { data, ...envelope } = body;
  assert.equal(envelope, { object: 'list', hasMore: false, nextCursor: null });
  assert.equal(data[0], (await workspace.call(`GET ${first.path}`)).body);
});

test('a walk returns every chat exactly once at any page size', async () => {
  const workspace = await tandem.workspace();
  await fill(workspace, 40);
  const all = await walk(workspace, 'limit=100');
  assert.is(new Set(all).size, 40);
  for (const limit of [1, 2, 3, 5, 7, 25, 40]) assert.equal(await walk(workspace, `limit=${limit}`), all, `${limit}`);
  const { body } = await workspace.call('GET /chats');
  assert.is(body.data.length, 25);
  const at: string[] = (await workspace.call('GET /chats?limit=100')).body.data.map(
    (chat: { lastMessageAt: string; id: string }) => `${chat.lastMessageAt} ${chat.id}`,
  );
  assert.equal(at, at.toSorted().reverse(), 'by the last message, then by id, both descending');
});

test('a cursor is good for its list only', async () => {
  const [workspace, other] = [await tandem.workspace(), await tandem.workspace()];
  await fill(workspace, 5);
  const { nextCursor } = (await workspace.call('GET /chats?limit=2&status=completed')).body;
  assert.is((await workspace.call(`GET /chats?limit=3&status=completed&cursor=${nextCursor}`)).body.data.length, 3);
  for (const query of [
    '',
    'status=failed&',
    'includeArchived=true&status=completed&',
    'query=chat&status=completed&',
  ]) {
    const { status, body } = await workspace.call(`GET /chats?${query}cursor=${nextCursor}`);
    assert.equal([status, body.code, body.param], [400, 'invalid_cursor', 'cursor'], query);
  }
  for (const [{ call }, cursor] of [
    [other, nextCursor],
    [workspace, 'nonsense'],
  ] as const) {
    assert.is((await call(`GET /chats?status=completed&cursor=${cursor}`)).body.code, 'invalid_cursor');
  }
});

test('filters: status, agent and archived ones too', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const agentId = (await call('POST /agents', { name: 'Scout' })).body.id;
  for (const [title, settle] of Object.entries(settlings)) {
    await settle((await newChat(tandem, workspace, { title })).agent);
  }
  await newChat(tandem, workspace, { title: 'running', agentId });
  for (const status of ['running', 'awaiting_input', 'completed', 'failed', 'cancelled']) {
    assert.equal(await walk(workspace, `status=${status}`), [status]);
  }
  assert.equal(await walk(workspace, 'status=queued'), []);
  assert.equal(await walk(workspace, `agentId=${agentId}`), ['running']);
  assert.equal(await walk(workspace, `agentId=${agentId.toUpperCase()}`), ['running']);
  assert.equal(await walk(workspace, `agentId=${crypto.randomUUID()}`), []);
  const { id } = (await call('GET /chats?status=failed')).body.data[0];
  await call(`DELETE /chats/${id}`);
  assert.is((await walk(workspace, 'includeArchived=false')).length, 4);
  assert.is((await walk(workspace, 'includeArchived=true&limit=2')).length, 5);
  assert.equal(await walk(workspace, 'status=failed'), []);
  assert.equal(await walk(workspace, 'status=failed&includeArchived=true'), ['failed']);
});

test('a query finds words and parts of words in titles and subtitles, ignoring case', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const garden = await newChat(tandem, workspace, { title: 'Garten & Äpfel 100%' });
  await newChat(tandem, workspace, { title: 'Bilanz_2026' });
  assert.is(
    await setSubtitle(tandem, { workspaceId, chatId: garden.chat.id, subtitle: 'Wo ΟΔΟΣ und Rosen stehen' }),
    true,
  );
  const found = (query: string) => walk(workspace, `query=${encodeURIComponent(query)}`);
  for (const query of [
    'GARTEN',
    'äpf',
    'ÄPFEL rosen',
    'rten',
    '100%',
    'ΟΔΟΣ',
    'οδοσ',
    '&',
    'a\u0308pfel',
    ' rosen  garten ',
  ]) {
    assert.equal(await found(query), ['Garten & Äpfel 100%'], query);
  }
  assert.equal(await found('z_2'), ['Bilanz_2026']);
  for (const query of ['garten bilanz', 'apfel', '1000', '%%', 'n_b', 'nix'])
    assert.equal(await found(query), [], query);
  for (const query of ['', '%20', 'x'.repeat(201)]) {
    assert.is((await workspace.call(`GET /chats?query=${query}`)).body.param, 'query');
  }
});

test('titles that change are found as they are now, and a generated one never replaces one that was given', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, call } = workspace;
  const { chat, path } = await newChat(tandem, workspace);
  const found = async (query: string) => (await walk(workspace, `query=${query}`)).length;
  assert.is(await setTitle(tandem, { workspaceId, chatId: chat.id, title: 'Generated words' }), true);
  await setSubtitle(tandem, { workspaceId, chatId: chat.id, subtitle: 'Something below' });
  assert.equal([await found('generated'), await found('below')], [1, 1]);
  await call(`PATCH ${path}`, { title: 'Chosen' });
  assert.equal([await found('generated'), await found('chosen'), await found('below')], [0, 1, 1]);
  assert.is(await setTitle(tandem, { workspaceId, chatId: chat.id, title: 'Late' }), false);
  const { body } = await call(`GET ${path}`);
  assert.equal([body.title, body.subtitle], ['Chosen', 'Something below']);
  assert.is(await setTitle(tandem, { workspaceId, chatId: crypto.randomUUID(), title: 'Nowhere' }), false);
});

test('a search deep in many chats finds what the first ones do not have, page by page', async () => {
  const workspace = await tandem.workspace();
  await fill(workspace, 2600);
  const all = await walk(workspace, 'limit=100&query=chat');
  assert.is(new Set(all).size, 2600);
  for (const [query, count] of [
    ['chat%201', all.filter((title) => title.includes('1')).length],
    ['hat%2025', all.filter((title) => title.includes('25')).length],
    ['2599', 1],
    ['nothing', 0],
  ] as const) {
    const titles = await walk(workspace, `limit=100&query=${query}`);
    assert.equal([titles.length, new Set(titles).size], [count, count], query);
  }
  assert.equal(
    await walk(workspace, 'query=chat%207%20chat&limit=1'),
    all.filter((title) => title.includes('7')),
  );
});

test('what cannot be asked is 400', async () => {
  const { call } = await tandem.workspace();
  for (const [query, param] of [
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['status=open', 'status'],
    ['agentId=x', 'agentId'],
    ['includeArchived=yes', 'includeArchived'],
  ]) {
    const { status, body } = await call(`GET /chats?${query}`);
    assert.equal([status, body.param], [400, param], query);
  }
});

test.run();
