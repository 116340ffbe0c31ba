import type { Context } from '../context.ts';
import { wholeList } from '../fields.ts';
import { cursorScope, type Position, pageOf, positionOf } from '../page.ts';
import { findTodoLists } from './rows.ts';
import type { TodoListAnswer } from './shapes.ts';

/** All todo lists, the default one first, then the oldest. */
export async function listTodoLists({ db, principal }: Context, { includeArchived }: { includeArchived: boolean }) {
  return wholeList(await findTodoLists(db, principal.workspaceId, includeArchived));
}

/**
 * Whether the list comes after the position in the order of lists; the position of the default list is null, the first.
 */
function isAfter(list: TodoListAnswer, [createdAt, id]: Position): boolean {
  if (createdAt === null) return !list.isDefault;
  return !list.isDefault && (list.createdAt > String(createdAt) || (list.createdAt === createdAt && list.id > id));
}

interface Listing {
  includeArchived: boolean;
  limit: number;
  cursor?: string | undefined;
}

/** One page of the todo lists, in the order of `listTodoLists`. @throws Failure 400 `invalid_cursor`. */
export async function pageTodoLists(ctx: Context, { includeArchived, limit, cursor }: Listing) {
  const scope = cursorScope(ctx, { sort: 'createdAt', order: 'asc', filters: { includeArchived } });
  const after = cursor === undefined ? undefined : positionOf(scope, cursor);
  const lists = await findTodoLists(ctx.db, ctx.principal.workspaceId, includeArchived);
  const rest = after ? lists.filter((list) => isAfter(list, after)) : lists;
  return pageOf(rest, limit, scope, (list) => [list.isDefault ? null : list.createdAt, list.id]);
}
