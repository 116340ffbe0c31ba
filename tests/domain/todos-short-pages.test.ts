import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Db } from '../../db/client.ts';
import { newId } from '../../db/ids.ts';
import type { Context } from '../../domain/context.ts';
import { listTodos } from '../../domain/todos/list.ts';
import { TodoListing, type TodoListingInput } from '../../domain/todos/listing-shapes.ts';

/* Which pages of todos are read together with others, on one connection (docs/decisions/0081). */

const test = suite('pages of todos that are read together');
const ids = [newId(), newId()];

/** How the statement of a page is sent. */
async function sentBy(input: Partial<TodoListingInput>): Promise<string[]> {
  const sent: string[] = [];
  const note = (how: string) => async () => {
    sent.push(how);
    return [];
  };
  const db = { rows: note('rows'), lookUp: note('lookUp') } as unknown as Db;
  const principal = { workspaceId: newId(), userId: newId(), kind: 'apiKey' };
  const ctx = { db, principal, service: { cursorKey: Buffer.alloc(32) }, operation: 'listTodos', reply: {} };
  await listTodos(ctx as unknown as Context, TodoListing.parse(input));
  return sent;
}

const short: Partial<TodoListingInput>[] = [
  {},
  { status: 'active' },
  { status: ['done', 'ready'] },
  { sort: 'updatedAt' },
  { sort: 'dueDate', order: 'asc' },
  { sort: 'priority' },
  { limit: 100 },
];
const others: Partial<TodoListingInput>[] = [
  { status: 'active', sort: 'dueDate' },
  { sort: 'position' },
  { includeArchived: true },
  { archived: 'any' },
  { priority: 'high' },
  { todoListId: ids[0] as string },
  { assigneeId: ids },
  { assignedToMe: true },
  { unassigned: true },
  { labelId: ids[0] as string },
  { isSuggested: false },
  { isSuggested: true },
  { hasRun: false },
  { hasParent: false },
  { parentTodoId: ids[0] as string },
  { captureId: ids[0] as string },
  { scheduleStatus: 'pending' },
  { type: 'responsibility' },
  { createdSince: '2026-01-01T00:00:00Z' },
  { updatedSince: '2026-01-01T00:00:00Z' },
  { dueBefore: '2026-01-01' },
  { dueAfter: '2026-01-01' },
  { query: 'plants' },
  { ids },
];

for (const input of short) {
  test(`together: ${JSON.stringify(input)}`, async () => assert.equal(await sentBy(input), ['lookUp']));
}
for (const input of others) {
  test(`alone: ${JSON.stringify(input).slice(0, 60)}`, async () => {
    const sent = await sentBy(input);
    assert.ok(sent.length > 0);
    assert.not.ok(sent.includes('lookUp'), sent.join());
  });
}

test('every filter of a list is among them', () => {
  const named = new Set([...short, ...others].flatMap((input) => Object.keys(input)));
  const missing = Object.keys(TodoListing.shape).filter((name) => !named.has(name));
  assert.equal(missing, ['cursor', 'include']);
});

test.run();
