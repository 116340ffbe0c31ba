import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { suggestTodos } from '../../domain/todos/suggest.ts';
import type { Removal } from '../../server/workers/captures/leases.ts';
import { removalHandler } from '../../server/workers/captures/removals.ts';
import { newNote, newRecording, startWithoutDigests, workOf } from '../support/capture-fixtures.ts';
import { assertFrame } from '../support/frame.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { notifyPeople } from '../support/notification-fixtures.ts';
import { audioDirectory } from '../support/recording-fixtures.ts';
import { refused, unknownId } from '../support/todo-fixtures.ts';
import { openTurn, worldOf } from '../support/turn-world.ts';

const test = suite('erasing captures');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutDigests();
});
test.after(() => tandem.close());

/** The log of events keeps the ids of what is erased. */
const log = new Set(['events', 'event_queue']);

/** How many rows of the workspace each table has that name the id, apart from the log. */
async function tablesWithId(workspace: TestWorkspace, id: string): Promise<Record<string, number>> {
  const tables = Object.entries(await tablesWith(workspace, new RegExp(id)));
  return Object.fromEntries(tables.filter(([name]) => !log.has(name)));
}

/** How many rows of the workspace each table has that say something of the words given. */
async function tablesWith({ workspaceId }: TestWorkspace, words: RegExp): Promise<Record<string, number>> {
  const tables = await tandem.db.rows<{ name: string }>(
    `select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and c.column_name = 'workspace_id' and t.table_type = 'BASE TABLE' order by 1`,
    [],
  );
  assert.ok(tables.length > 20, String(tables.length));
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const text = `select row_to_json(t)::text as row from ${name} t where workspace_id = $1`;
    const rows = await tandem.db.rows<{ row: string }>(text, [workspaceId], 'custom');
    const count = rows.filter(({ row }) => words.test(row)).length;
    if (count > 0) found[name] = count;
  }
  return found;
}

async function suggested({ workspaceId }: TestWorkspace, captureId: string, titles: string[]): Promise<string[]> {
  const todos = titles.map((title) => ({ title, content: null, dueDate: null, assigneeUserId: null }));
  const made = await tandem.db.transaction((tx) => suggestTodos({ db: tx }, { workspaceId, captureId, todos }));
  return made.map(({ id }) => id);
}

test('a capture is erased with all that says it: texts, search, work, suggestions, and its audio soon', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId, userId } = workspace;
  const texts = {
    title: 'ZANZIBAR',
    subtitle: 'ZANZIBAR',
    summary: 'ZANZIBAR',
    transcript: 'ZANZIBAR',
    notes: 'ZANZIBAR',
  };
  const { id, recordingId } = await newRecording(tandem, workspace, { ...texts, audio: true });
  const rows: [string, unknown[]][] = [
    [
      `insert into recordings (workspace_id, id, capture_id, user_id, token_hash, token_expires_at, max_seconds)
      values ($1, $2, $3, $4, 'x', now(), 60)`,
      [workspaceId, recordingId, id, userId],
    ],
    [
      `insert into capture_work (workspace_id, capture_id, step, lease_until) values ($1, $2, 'digest', now())`,
      [workspaceId, id],
    ],
    [
      `insert into capture_pieces (workspace_id, capture_id, position, end_ms, segments) values ($1, $2, 0, 1000, '["ZANZIBAR"]')`,
      [workspaceId, id],
    ],
    [
      `insert into capture_points (workspace_id, capture_id, key, points) values ($1, $2, 'x', '{"points":["ZANZIBAR"]}')`,
      [workspaceId, id],
    ],
  ];
  for (const [text, values] of rows) await tandem.db.rows(text, values);
  const chat = (await call('POST /chats', { message: 'Read it', captureIds: [id] })).body;
  const [open, dismissed, accepted] = await suggested(workspace, id, [
    'ZANZIBAR one',
    'ZANZIBAR two',
    'ZANZIBAR three',
  ]);
  await call(`DELETE /todos/${dismissed}`);
  for (const todoId of [open, dismissed]) {
    await notifyPeople(tandem.db, workspaceId, [userId], {
      todoId: todoId ?? null,
      title: '“ZANZIBAR” is due',
      sends: true,
    });
  }
  const kept = (await call(`PATCH /todos/${accepted}`, { isSuggested: false, title: 'Kept' })).body;
  const mine = (await call('POST /todos', { title: 'Mine', captureId: id })).body;
  assert.equal(await tablesWith(workspace, /zanzibar/i), {
    capture_pieces: 1,
    capture_points: 1,
    capture_search: 1,
    captures: 1,
    notifications: 2,
    todo_search: 2,
    todos: 2,
  });
  assert.equal(Object.keys(await tablesWithId(workspace, id)).sort(), [
    'capture_pieces',
    'capture_points',
    'capture_search',
    'capture_work',
    'captures',
    'chat_captures',
    'messages',
    'recordings',
    'todos',
  ]);

  const answer = assertFrame(await call(`DELETE /captures/${id}?permanent=true`));
  assert.equal([answer.status, answer.body], [200, { object: 'deleted', id, deleted: true, recoverable: false }]);
  assert.equal(await tablesWith(workspace, /zanzibar/i), {});
  assert.equal(await tablesWithId(workspace, id), { messages: 1 }, 'the chat was about something');
  assert.equal(await tablesWithId(workspace, recordingId), { audio_removals: 1 });
  const [removal] = await tandem.db.rows<{ due: boolean; seconds: number }>(
    `select next_at <= now() as due, extract(epoch from last_at - next_at)::int as seconds from audio_removals
     where workspace_id = $1 and recording_id = $2`,
    [workspaceId, recordingId],
  );
  assert.equal(removal, { due: true, seconds: 3600 });
  for (const todoId of [open, dismissed]) refused(await call(`GET /todos/${todoId}`), 404, 'todoId');
  for (const todo of [kept, mine]) {
    const { updatedAt, ...now } = (await call(`GET /todos/${todo.id}`)).body;
    const { updatedAt: before, ...was } = todo;
    assert.equal(now, { ...was, captureId: null, version: todo.version + 1 });
    assert.ok(updatedAt > before);
  }
  assert.is((await call(`GET /chats/${chat.id}`)).status, 200);
  for (const route of [
    `GET /captures/${id}`,
    `DELETE /captures/${id}?permanent=true`,
    `POST /captures/${id}/restore`,
  ]) {
    refused(await call(route), 404, 'captureId');
  }
});

test('audio that was still being written when its recording was erased is removed for an hour', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const { id, recordingId } = await newRecording(tandem, workspace);
  assert.is((await workspace.call(`DELETE /captures/${id}?permanent=true`)).status, 200);
  const due = `select attempt, next_at as "claimedAt", last_at as "lastAt",
    extract(epoch from next_at - last_at + interval '1 hour')::int / 60 as minute
    from audio_removals where workspace_id = $1 and recording_id = $2`;
  const dueNow = async () => {
    const [row] = await tandem.db.rows<Removal & { minute: number }>(due, [workspaceId, recordingId]);
    return row && { ...row, workspaceId, recordingId };
  };
  const prefix = `${workspaceId}/${recordingId}/`;
  const { path, store, remove: removeDirectory } = await audioDirectory();
  const scratch = join(path, '.scratch');
  const remove = removalHandler(tandem.db, store, scratch);
  const minutes: number[] = [];
  for (let removal = await dueNow(); removal; removal = await dueNow()) {
    minutes.push(removal.minute);
    // A file that took longer than the pause before, of a process that could not remove it any more.
    await store.put(`${prefix}late`, Buffer.from('audio'));
    // And what a process left that died while it joined the recording, and another one that goes on.
    for (const name of [recordingId, 'other'])
      await mkdir(join(scratch, `tandem-audio-${name}-x`), { recursive: true });
    await remove(removal);
    assert.equal(await store.list(prefix), []);
    assert.equal(await readdir(scratch), ['tandem-audio-other-x']);
  }
  await removeDirectory();
  assert.equal(minutes, [0, 1, 2, 4, 8, 16, 32, 60]);
});

test('a note leaves no audio to remove, and an archived one is erased like any other', async () => {
  const workspace = await tandem.workspace();
  const id = await newNote(workspace, 'ZANZIBAR', ['kept']);
  await workspace.call(`DELETE /captures/${id}`);
  assert.is((await workspace.call(`DELETE /captures/${id}?permanent=true`)).body.recoverable, false);
  assert.equal(await tablesWith(workspace, /zanzibar/i), {});
  assert.equal(await tablesWithId(workspace, id), {});
  assert.is(await workOf(tandem, id), undefined);
  assert.equal(
    await tandem.db
      .rows('select 1 from audio_removals where workspace_id = $1', [workspace.workspaceId])
      .then((rows) => rows.length),
    0,
  );
  assert.equal((await workspace.call('GET /captures/tags')).body.data, [], 'a tag that nothing carries is not told');
});

test('a suggestion that somebody had an agent work on stays, as a todo; a chat about one that goes stays without it', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const id = await newNote(workspace, 'x');
  const [run = '', talked = ''] = await suggested(workspace, id, ['Run it', 'Talk of it']);
  assert.is((await call(`POST /todos/${run}/runs`)).status, 202);
  const { chatId } = await openTurn(worldOf(tandem.db), workspace);
  await tandem.db.rows('update chats set todo_id = $2 where id = $1', [chatId, talked]);
  assert.is((await call(`DELETE /captures/${id}?permanent=true`)).status, 200);
  const { isSuggested, captureId } = (await call(`GET /todos/${run}`)).body;
  assert.equal([isSuggested, captureId], [false, null]);
  refused(await call(`GET /todos/${talked}`), 404, 'todoId');
  const chat = (await call(`GET /chats/${chatId}`)).body;
  assert.equal([chat.todoId, chat.status], [null, 'cancelled'], 'the agent at work on it stopped');
});

test('a request that links to a capture while it is erased either finds it or gets 404', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  let [linked, refusals] = [0, 0];
  for (let round = 0; round < 12; round++) {
    const id = await newNote(workspace, `note ${round}`, ['a']);
    const [, ...answers] = await Promise.all([
      call(`DELETE /captures/${id}?permanent=true`),
      call('POST /todos', { title: 'x', captureId: id }),
      call('POST /todos', { title: 'y', captureId: id }),
      call('POST /chats', { message: 'x', captureIds: [id] }),
      call(`PATCH /captures/${id}`, { content: 'z', tags: ['b'] }),
    ]);
    for (const { status, body, text } of answers) {
      if (status < 300) linked++;
      else refusals++;
      if (status >= 300) assert.equal([status, body.code], [404, 'resource_not_found'], text);
    }
    refused(await call(`GET /captures/${id}`), 404, 'captureId');
    assert.equal(
      Object.keys(await tablesWithId(workspace, id)).filter((table) => table !== 'messages'),
      [],
    );
  }
  assert.ok(refusals > 0, `${linked} linked, ${refusals} refused`);
});

test('an erasure that a precondition or an unknown id stops changes nothing', async () => {
  const workspace = await tandem.workspace();
  const id = await newNote(workspace, 'x');
  const headers = { 'if-match': '"other"' };
  assert.is((await workspace.call(`DELETE /captures/${id}?permanent=true`, undefined, { headers })).status, 412);
  refused(
    await workspace.call(`DELETE /captures/${unknownId}?permanent=true`, undefined, { headers }),
    404,
    'captureId',
  );
  assert.is((await workspace.call(`DELETE /captures/${id}?permanent=yes`)).body.param, 'permanent');
  assert.is((await workspace.call(`GET /captures/${id}`)).status, 200);
});

test.run();
