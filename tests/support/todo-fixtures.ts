import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { v7 as newId } from 'uuid';
import * as assert from 'uvu/assert';
import type { TodoAnswer } from '../../domain/todos/shapes.ts';
import { keepCounts } from '../../server/todo-counts.ts';
import type { Answer, TestService, TestWorkspace } from './harness.ts';
import { until } from './until.ts';

/** A well-formed id that no workspace has. */
export const unknownId = '018f0000-0000-7000-8000-000000000000';

/** What a person without a photo looks like among assignees. */
export function person(id: string, name = 'Tess', isArchived = false) {
  return { object: 'todo_assignee', type: 'user', id, name, profilePhotoUrl: null, isArchived };
}

export function worker(id: string, name = 'Assistant', isArchived = false) {
  return { object: 'todo_assignee', type: 'agent', id, name, profilePhotoUrl: null, isArchived };
}

/** The id of the workspace's default agent. */
export async function assistantOf({ db }: TestService, workspaceId: string): Promise<string> {
  const text = 'select id from agents where workspace_id = $1 and is_default';
  const [row] = await db.rows<{ id: string }>(text, [workspaceId]);
  if (!row) throw new Error('no default agent');
  return row.id;
}

/** Another agent, archived from the start where a test needs one. */
export async function addAgent({ db }: TestService, workspaceId: string, name: string, archived = false) {
  const id = newId();
  const text =
    'insert into agents (workspace_id, id, name, archived_at) values ($1, $2, $3, case when $4 then now() end)';
  await db.rows(text, [workspaceId, id, name, archived]);
  return id;
}

/** Another member; there is no operation for it yet. */
export async function addMember({ db }: TestService, workspaceId: string, name: string, removed = false) {
  const id = newId();
  const email = `${id}@example.com`;
  await db.rows(`insert into users (id, email, name, password_hash) values ($1, $2, $3, 'none')`, [id, email, name]);
  const text = `insert into members (workspace_id, user_id, role, removed_at) values ($1, $2, 'member', case when $3 then now() end)`;
  await db.rows(text, [workspaceId, id, removed]);
  return id;
}

/** Sets columns of a todo that only later parts of the service write. */
export async function setColumns({ db }: TestService, id: string, columns: Record<string, unknown>): Promise<void> {
  const sets = Object.keys(columns).map((name, index) => `${name} = $${index + 2}`);
  await db.rows(`update todos set ${sets.join(', ')} where id = $1`, [id, ...Object.values(columns)]);
}

/**
 * Adds the changes of the numbers of todos of a workspace, as the service does beside the requests, until none is left.
 */
export async function countsAdded({ db }: Pick<TestService, 'db'>, workspaceId: string): Promise<void> {
  const left = 'select from todo_count_changes where workspace_id = $1 limit 1';
  await until(async () => {
    await keepCounts(db);
    return (await db.rows(left, [workspaceId])).length === 0;
  });
}

const codes: Record<number, string> = { 400: 'validation_failed', 404: 'resource_not_found', 409: 'resource_conflict' };

/** Asserts that an answer is the error of this status that names `param`. */
export function refused(answer: Answer, status: number, param: string | null, code = codes[status]): void {
  const { body } = answer;
  assert.equal({ status: answer.status, code: body.code, param: body.param }, { status, code, param }, answer.text);
}

export function titlesOf(answer: Answer): (string | null)[] {
  return answer.body.data.map((todo: TodoAnswer) => todo.title);
}

/** A query string of what is set. */
export function queryOf(parameters: Record<string, unknown>): string {
  const set = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return set.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
}

const mostPages = 5000;

/** Walks every page of a list; `between` runs after each page but the last. A walk that does not end is a failure. */
export async function walk(
  call: TestWorkspace['call'],
  parameters: Record<string, unknown>,
  between: () => Promise<unknown> = async () => {},
): Promise<TodoAnswer[]> {
  const todos: TodoAnswer[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const { status, body, text } = await call(`GET /todos?${queryOf({ ...parameters, cursor })}`);
    assert.is(status, 200, text);
    todos.push(...body.data);
    assert.is(body.hasMore, body.nextCursor !== null);
    if (body.nextCursor === null) return todos;
    assert.is(body.data.length, parameters.limit ?? 25, 'a page with more after it is full');
    assert.is.not(body.nextCursor, cursor, 'the next cursor is another one');
    cursor = body.nextCursor;
    await between();
  }
  throw new Error(`the walk of ${queryOf(parameters)} did not end after ${mostPages} pages`);
}

/**
 * The statements about todos and keys that `work` sends. Those of the scheduler, which polls meanwhile, skip locked
 * rows; those that count the todos of a new workspace note that it is counted.
 */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const texts: string[] = [];
  const watch = (text: unknown) => {
    const isAbout = /\b(from|into|update|join) (todos|idempotency_keys)(_\d+)?\b/.test(String(text));
    if (isAbout && !/skip locked|counted_workspaces/.test(String(text))) texts.push(String(text));
  };
  subscribe('tandem:statement', watch);
  await work().finally(() => unsubscribe('tandem:statement', watch));
  return texts;
}
