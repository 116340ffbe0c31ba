import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TandemEvent } from 'tandem/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventTypes } from '../../domain/events/types.ts';
import { openChatsQuery, waitingQuery } from '../../web/src/agents/queries.ts';
import { pollAlways, pollUnlessLive, repeatFailed, setLiveState } from '../../web/src/api/live-state.ts';
import { concernOf, concerns, liveKinds } from '../../web/src/live/concerns.ts';

/* Which queries an event makes stale, and when the pages poll. */

const test = suite('live updates of the pages');

const source = join(import.meta.dirname, '../../web/src');
const sources = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(source, path), 'utf8') }));
const named: Record<string, string> = { webhooksKey: 'webhooks', agentsKey: 'agents' };
/** Kinds that no event concerns, and that nobody polls. */
const withoutEvents = ['emailVerification', 'serviceInfo', 'scopes', 'sessions', 'secondFactors'];
const kindsIn = (text: string) =>
  [...text.matchAll(/queryKey: \[(?:'(\w+)'|(\w+))/g)].map(([, literal, name = '']) => literal ?? named[name] ?? '');

test('every type of event that the service declares concerns some query, and no other type is listed', () => {
  assert.equal(Object.keys(concernOf).sort(), [...eventTypes].sort());
  for (const type of eventTypes) assert.ok(concernOf[type].kinds.length > 0, type);
});

test('what events concern is read by the pages, and what does not poll is what events concern', () => {
  const used = new Set(sources.flatMap(({ text }) => kindsIn(text)));
  for (const kind of liveKinds) assert.ok(used.has(kind), `no query has the kind ${kind}`);
  // A number alone is polled while events come too.
  for (const { path, text } of sources) assert.not.match(text, /refetchInterval: \d/, path);
  const silent = sources.filter(({ text }) => text.includes('pollUnlessLive(query'));
  assert.ok(silent.length >= 5);
  for (const { path, text } of silent) {
    for (const kind of kindsIn(text)) {
      if (kind === '' || withoutEvents.includes(kind)) continue;
      assert.ok(liveKinds.has(kind), `${path}: no event concerns ${kind}, so it must poll`);
    }
  }
});

const [workspaceId, other, todoId, chatId, listId] = Array.from({ length: 5 }, () => crypto.randomUUID());
const event = (
  type: string,
  id: string | undefined,
  parents: Record<string, string | undefined> = {},
  changedFields: string[] = [],
) => ({ type, workspaceId, data: { id, parents, changedFields } }) as unknown as TandemEvent;

test('an event concerns the lists of its workspace, and of the resources only those that it names', () => {
  const updated = event('todo.updated', todoId, { todoListId: listId });
  for (const [key, is] of [
    [['todos', workspaceId, 'list', { todoListId: other }], true],
    [['todos', workspaceId, 'summary', {}], true],
    [['todos', workspaceId, 'lists'], true],
    [['todos', workspaceId, 'tagged', todoId], true],
    [['todos', workspaceId, 'tagged', String(todoId).toUpperCase()], true],
    [['todos', workspaceId, 'tagged', other], false],
    [waitingQuery(String(workspaceId), String(other)).queryKey, true],
    [['todos', other, 'list', {}], false],
    [['chats', workspaceId, 'list'], false],
    [['capture', workspaceId, other, 'todos', 'ready', null], false],
  ] as const)
    assert.is(concerns(updated, key), is, JSON.stringify(key));
  const moved = event('todo.updated', todoId, { parentTodoId: chatId }, ['parentTodoId']);
  assert.ok(concerns(moved, ['todos', workspaceId, 'tagged', other]), 'the todo that it was moved from');
  const written = event('comment.created', other, { todoId });
  assert.ok(concerns(written, ['comments', workspaceId, todoId]));
  assert.ok(concerns(written, ['todos', workspaceId, 'activity', todoId]));
  assert.not.ok(concerns(written, ['todos', workspaceId, 'list', {}]));
  const message = event('message.created', other, { chatId });
  assert.ok(concerns(message, ['chats', workspaceId, 'one', chatId]));
  assert.not.ok(concerns(message, ['chats', workspaceId, 'one', todoId]));
});

test('which chats are open is read again for their statuses, and not for each message and call of a tool', () => {
  const { queryKey } = openChatsQuery(String(workspaceId));
  for (const type of eventTypes) {
    const changed = event(type, chatId, { chatId });
    const isOne = concerns(changed, ['chats', workspaceId, 'one', chatId]);
    assert.is(concerns(changed, ['chats', workspaceId, 'list', {}]), isOne, type);
    const isContent = type === 'chat.updated' || type === 'message.created';
    assert.is(concerns(changed, queryKey), isOne && !isContent, type);
    if (isContent) assert.ok(isOne, type);
  }
  assert.ok(concerns(event('chat.status_changed', chatId), queryKey));
});

test('the first steps are read again for the first of what they are about, and not for each change of it', () => {
  const ticking = (step: string) =>
    eventTypes.filter((type) => concerns(event(type, other), ['firstSteps', workspaceId, step]));
  assert.equal(['todo', 'chat', 'app'].map(ticking), [['todo.created'], ['chat.created'], ['connected_app.created']]);
});

test('the name of an agent is in chats and todos of any id; what belongs to no workspace is concerned too', () => {
  const renamed = event('agent.updated', other);
  assert.ok(concerns(renamed, ['chats', workspaceId, 'one', chatId]));
  assert.ok(concerns(renamed, ['todos', workspaceId, 'tagged', todoId]));
  assert.not.ok(concerns(renamed, ['captures', workspaceId]));
  assert.ok(concerns(event('workspace.updated', workspaceId), ['identity']));
  assert.not.ok(concerns(event('robot.built', workspaceId), ['identity']));
});

test('what a card of an approval compares and names follows the todos, captures, lists and agents that it is about', () => {
  for (const [type, kind] of [
    ['todo.updated', 'todo'],
    ['capture.updated', 'capture'],
    ['todo_list.updated', 'todoList'],
    ['agent.updated', 'agent'],
    ['skill.updated', 'skill'],
    ['chat.updated', 'chat'],
  ] as const) {
    const changed = event(type, other);
    assert.ok(concerns(changed, ['approvals', workspaceId, 'subject', kind, other]), type);
    assert.not.ok(concerns(changed, ['approvals', workspaceId, 'subject', kind, todoId]), type);
    assert.not.ok(concerns(changed, ['approvals', workspaceId, 'pending']), type);
  }
  const created = event('todo_list.created', listId);
  assert.ok(concerns(created, ['members', workspaceId, 'directory']));
  assert.not.ok(concerns(created, ['assignable', workspaceId]));
});

test('queries poll only while no events come, and more rarely while they fail', () => {
  const good = {
    status: 'success',
    error: null,
    errorUpdatedAt: 0,
    errorUpdateCount: 0,
    dataUpdatedAt: 1_000,
  } as const;
  const failing = (errorUpdatedAt: number, more = {}) => ({
    state: { ...good, status: 'error' as const, errorUpdatedAt, errorUpdateCount: 1, ...more },
  });
  setLiveState('live');
  assert.is(pollUnlessLive({ state: good }, 5_000), false);
  for (const state of ['paused', 'off'] as const) {
    setLiveState(state);
    assert.is(pollUnlessLive({ state: good }, 5_000), 5_000);
  }
  assert.is(pollUnlessLive(failing(2_000), 5_000), 5_000);
  assert.is(pollUnlessLive(failing(21_000), 5_000), 20_000);
  assert.is(pollUnlessLive(failing(500_000), 5_000), 60_000);
  assert.is(pollUnlessLive(failing(2_000, { dataUpdatedAt: 0, errorUpdateCount: 2 }), 5_000), 20_000);
  const refused = Object.assign(new Error('Too many requests'), { problem: { status: 429, retryAfterSeconds: 90 } });
  assert.is(pollUnlessLive(failing(2_000, { error: refused }), 5_000), 90_000);
  assert.is(pollUnlessLive(failing(2_400), 5_000), 5_500);
  setLiveState('live');
  assert.is(pollAlways({ state: good }, 5_000), 5_000);
  assert.is(pollAlways(failing(21_000), 5_000), 20_000);
});

test('a read that failed for a reason that passes is repeated, also while events come', () => {
  const fault = (problem: object) => Object.assign(new Error('It failed'), { problem });
  const after = (error: Error | null, status: 'error' | 'success' = 'error') => ({
    state: { status, error, errorUpdatedAt: 3_000, errorUpdateCount: 1, dataUpdatedAt: 0 },
  });
  const away = fault({ status: 503, retryable: true, retryAfterSeconds: 2 });
  const missing = fault({ status: 404, retryable: false });
  setLiveState('live');
  for (const interval of [repeatFailed, (query: Parameters<typeof repeatFailed>[0]) => pollUnlessLive(query, 60_000)]) {
    assert.is(interval(after(away)), 4_000);
    assert.is(interval(after(missing)), false);
    assert.is(interval(after(null, 'success')), false);
  }
});

test.run();
