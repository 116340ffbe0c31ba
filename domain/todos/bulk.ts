import type { Db } from '../../db/client.ts';
import { canonical } from '../canonical-json.ts';
import type { Context, Principal } from '../context.ts';
import { conflict, Failure, invalid, notFound } from '../errors.ts';
import { cursorAfter, cursorScope, positionOf } from '../page.ts';
import { archiveWithSubTodos } from './archive.ts';
import { maxArchived, maxMatches, type TodoBulkInput } from './bulk-shapes.ts';
import { type Change, changeOf, requireText } from './change.ts';
import { canonicalFilters, criteriaOf } from './filter.ts';
import type { TodoFilter } from './listing-shapes.ts';
import { lockMatches, type Matches } from './matches.ts';
import { contentSizes, fittingOf, isAlwaysWhole, maxPageBytes } from './page-bytes.ts';
import { findTodos, lockTodos } from './rows.ts';
import { type TodoAnswer, type TodoPatch, wholeBatch } from './shapes.ts';
import { countActiveSubTodos } from './sub-todos.ts';
import { changeLocked } from './update.ts';

/** Rolls the transaction of a dry run back. */
class DryRun extends Error {
  readonly todos: TodoAnswer[];
  constructor(todos: TodoAnswer[]) {
    super('dry run');
    this.todos = todos;
  }
}

interface Write {
  /** Ids in lower case, each once. */
  ids: readonly string[];
  patch: TodoPatch | undefined;
  change: Change | undefined;
  dryRun: boolean;
}

/** Todos of these ids, in the order of the ids. */
async function inOrder(ctx: Context, ids: readonly string[]): Promise<TodoAnswer[]> {
  const todos = new Map((await findTodos(ctx.db, ctx.principal.workspaceId, ids)).map((todo) => [todo.id, todo]));
  return ids.flatMap((id) => todos.get(id) ?? []);
}

/** Changes or archives todos that are locked. The answers are in no order. */
async function write(ctx: Context, { ids, patch, change, dryRun }: Write): Promise<TodoAnswer[]> {
  const before = await inOrder(ctx, ids);
  if (patch && change) return changeLocked(ctx, { before, patch, change, dryRun, at: 'patch.' });
  return archiveWithSubTodos(ctx, before);
}

/**
 * Changes or archives todos in a transaction, which a dry run rolls back. `choose` locks them and returns their ids.
 */
async function changeChosen(
  ctx: Context,
  { patch, dryRun }: TodoBulkInput,
  choose: (db: Db) => Promise<readonly string[]>,
): Promise<TodoAnswer[]> {
  const change = patch && (await changeOf(ctx, patch, 'patch.'));
  const work = ctx.db.transaction(async (db) => {
    const ids = await choose(db);
    if (patch) await requireText(db, ctx.principal.workspaceId, ids, patch, 'patch.');
    const changed = ids.length === 0 ? [] : await write({ ...ctx, db }, { ids, patch, change, dryRun });
    const todos = new Map(changed.map((todo) => [todo.id, todo]));
    const answers = ids.flatMap((id) => todos.get(id) ?? []);
    if (dryRun) throw new DryRun(answers);
    return answers;
  });
  return work.catch((error: unknown) => {
    if (error instanceof DryRun) return error.todos;
    throw error;
  });
}

/** How many of these locked todos, in their order, can be archived in one call with their sub-todos. */
async function archivableOf(db: Db, workspaceId: string, ids: readonly string[]): Promise<number> {
  const subTodos = await countActiveSubTodos(db, workspaceId, ids);
  let all = 0;
  const end = ids.findIndex((id) => {
    all += 1 + (subTodos.get(id) ?? 0);
    return all > maxArchived;
  });
  return end < 0 ? ids.length : end;
}

/**
 * How many of these locked todos, in their order, have contents that fit into one answer, before and after the change.
 */
async function answerableOf(db: Db, workspaceId: string, ids: readonly string[], patch: TodoPatch | undefined) {
  if (isAlwaysWhole(ids.length)) return ids.length;
  const stored = await contentSizes(db, workspaceId, ids);
  const written = Buffer.byteLength(patch?.content ?? '');
  return fittingOf(ids.map((id) => Math.max(written, stored.get(id) ?? 0)));
}

function tooManyArchived(possible: number): Failure {
  const message = `With their sub-todos these are more than the ${maxArchived} todos that one call archives. Archive the first ${possible} of them, then the others.`;
  return invalid('ids', message);
}

function tooLong(possible: number): Failure {
  const message = `These todos have contents of more than ${maxPageBytes / 2 ** 20} MiB together. Change the first ${possible} of them, then the others.`;
  return invalid('ids', message);
}

/** @throws Failure 400 when too many would be archived or contents are too long, 404 with `param` naming the id. */
async function changeByIds(ctx: Context, input: TodoBulkInput, ids: readonly string[]) {
  const order = [...new Set(ids)];
  const { patch } = input;
  if (patch) await requireText(ctx.db, ctx.principal.workspaceId, order, patch, 'patch.');
  const choose = async (db: Db) => {
    const found = await lockTodos(db, ctx.principal.workspaceId, order);
    const missing = ids.findIndex((id) => !found.has(id));
    if (missing >= 0) throw notFound('todo', `ids[${missing}]`);
    const answerable = await answerableOf(db, ctx.principal.workspaceId, order, patch);
    const archivable = input.archive ? await archivableOf(db, ctx.principal.workspaceId, order) : order.length;
    if (archivable < order.length) throw tooManyArchived(Math.min(archivable, answerable));
    if (answerable < order.length) throw tooLong(answerable);
    return order;
  };
  return wholeBatch(await changeChosen(ctx, input, choose));
}

/** The part of a filter that one call changes, in the order of the ids. */
async function changeMatches(ctx: Context, input: TodoBulkInput, where: TodoFilter) {
  const { patch, archive, cursor, expectedCount } = input;
  const startsWork = patch?.assignees !== undefined || patch?.schedule !== undefined;
  const limit = startsWork ? maxMatches.starting : maxMatches.plain;
  // The change is part of what a cursor belongs to: one of another change would skip todos.
  const filters = { ...canonicalFilters(where), me: ctx.principal.userId, change: canonical({ patch, archive }) };
  const scope = cursorScope(ctx, { sort: 'id', order: 'asc', filters });
  const after = cursor === undefined ? null : positionOf(scope, cursor)[1];
  const criteria = criteriaOf(ctx.principal, where);
  let matched: Matches = { ids: [], count: 0, next: null };
  const choose = async (db: Db) => {
    matched = await lockMatches(db, { viewer: ctx.principal, criteria, after, limit });
    if (expectedCount !== undefined && expectedCount !== matched.count) {
      throw countDiffers(expectedCount, matched.count);
    }
    const { workspaceId } = ctx.principal;
    const archivable = archive ? await archivableOf(db, workspaceId, matched.ids) : matched.ids.length;
    const possible = Math.min(archivable, await answerableOf(db, workspaceId, matched.ids, patch));
    if (possible < matched.ids.length) {
      const ids = matched.ids.slice(0, possible);
      matched = { ...matched, ids, next: ids.at(-1) ?? null };
    }
    return matched.ids;
  };
  const data = await changeChosen(ctx, input, choose);
  const { count: totalCount, next } = matched;
  const nextCursor = next === null ? null : cursorAfter(scope, [null, next]);
  return { object: 'list' as const, data, hasMore: next !== null, nextCursor, totalCount };
}

function countDiffers(expected: number, count: number): Failure {
  const message = `The filters match ${count} todos, not ${expected}. Nothing was changed: look at them again, and confirm that number.`;
  const errors = [{ param: 'expectedCount', code: 'count_differs', message }];
  return conflict(message, { reason: 'count_differs', errors });
}

/** A filter reveals what is in todos: by which number it matches, and by the answer. @throws Failure 403. */
function requireReader({ scopes }: Principal): void {
  if (scopes.has('todos:read')) return;
  const message = 'This credential lacks the scope todos:read, which where needs. Use one that has it, or pass ids.';
  throw new Failure({ status: 403, code: 'missing_scope', message, requiredScopes: ['todos:read'] });
}

/**
 * Changes or archives many todos, all or none of a call: up to a hundred in the order of `ids`, or those that `where`
 * matches, in the order of their ids, of which `totalCount` says how many there were before the call. A dry run returns
 * the todos as they would be, changes nothing and starts no agent.
 * @throws Failure 400, 403 for `where` without todos:read, 404 with `param` naming the id, 402, 409 when
 * `expectedCount` is another number.
 */
export async function bulkUpdateTodos(ctx: Context, input: TodoBulkInput) {
  const { ids, where, patch, archive, expectedCount, cursor } = input;
  if ((patch === undefined) === (archive === undefined)) throw invalid('patch', 'Pass either patch or archive: true.');
  if ((ids === undefined) === (where === undefined)) throw invalid('ids', 'Pass either ids or where.');
  if (where) {
    requireReader(ctx.principal);
    return changeMatches(ctx, input, where);
  }
  if (expectedCount !== undefined) throw invalid('expectedCount', 'expectedCount goes with where. Leave it out.');
  if (cursor !== undefined) throw invalid('cursor', 'cursor goes with where. Leave it out.');
  return changeByIds(ctx, input, ids ?? []);
}
