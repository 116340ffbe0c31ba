import type { Db } from '../../db/client.ts';
import type { Context } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { recordTodoChanges } from './events.ts';
import { keyFor, positionColumn, spreadKeys } from './order-keys.ts';
import { findBareTodos, findTodo, lockTodos } from './rows.ts';
import { Todo, type TodoAnswer } from './shapes.ts';

/** Where a todo goes in the manual order: directly after or directly before another. */
export interface Place {
  after?: string | undefined;
  before?: string | undefined;
}

/** A todo in the manual order. */
interface Placed {
  id: string;
  key: string;
}

type Side = 'before' | 'after';

const lockOrder = `select pg_advisory_xact_lock(hashtextextended($1, 0))`;
const placeOf = `select t.id, ${positionColumn} as key from todos t where t.workspace_id = $1 and t.id = $2`;
const neighbours = (turn: '<' | '>', order: 'asc' | 'desc') => `select t.id, ${positionColumn} as key from todos t
  where t.workspace_id = $1 and (${positionColumn}, t.id) ${turn} ($2::text, $3::uuid) and t.id <> $4
  order by ${positionColumn} ${order}, t.id ${order} limit $5`;
const sides: Record<Side, string> = { before: neighbours('<', 'desc'), after: neighbours('>', 'asc') };
const setPositions = `update todos t set position = p.key, updated_at = greatest(now(), updated_at)
  from unnest($2::uuid[], $3::text[]) as p(id, key) where t.workspace_id = $1 and t.id = p.id`;

/** Todos on each side that are spread anew where there is no room for a key: first some, then many. */
const windows = [50, 5_000];

/** The moved todo and the one next to which it goes, in a transaction that holds the order of the workspace. */
interface Moving {
  db: Db;
  workspaceId: string;
  movedId: string;
  anchor: Placed;
  side: Side;
  now: Date;
}

/** The todos next to the anchor on one side of it, nearest first, without the moved one. */
function nextTo({ db, workspaceId, movedId, anchor }: Moving, side: Side, limit: number): Promise<Placed[]> {
  return db.rows<Placed>(sides[side], [workspaceId, anchor.key, anchor.id, movedId, limit]);
}

function comesBefore(one: Placed, other: Placed): boolean {
  return one.key === other.key ? one.id < other.id : one.key < other.key;
}

/** Whether the moved todo is directly at that side of the anchor already. */
function isThere(moved: Placed, { anchor, side }: Moving, next: Placed | undefined): boolean {
  if (side === 'after') return comesBefore(anchor, moved) && (!next || comesBefore(moved, next));
  return comesBefore(moved, anchor) && (!next || comesBefore(next, moved));
}

/** New keys for the todos around the place where the moved one goes, and for it. */
async function spread(moving: Moving): Promise<Placed[]> {
  const { movedId, anchor, side, now } = moving;
  for (const size of windows) {
    const before = (await nextTo(moving, 'before', size + 1)).reverse();
    const after = await nextTo(moving, 'after', size + 1);
    const [lower] = before.length > size ? before.splice(0, 1) : [];
    const upper = after.length > size ? after.pop() : undefined;
    const middle = side === 'after' ? [anchor.id, movedId] : [movedId, anchor.id];
    const ids = [...before.map(({ id }) => id), ...middle, ...after.map(({ id }) => id)];
    const keys = spreadKeys(lower?.key, upper?.key, ids.length, now);
    if (keys) return ids.map((id, place) => ({ id, key: keys[place] ?? '' }));
  }
  throw new Error('The manual order has no room for another key');
}

/** The keys that change: that of the moved todo, and those of others where they left no room for it. */
async function newKeys(moving: Moving, moved: Placed): Promise<Placed[]> {
  const { anchor, side, now } = moving;
  const [next] = await nextTo(moving, side, 1);
  if (isThere(moved, moving, next)) return [];
  const [lower, upper] = side === 'after' ? [anchor.key, next?.key] : [next?.key, anchor.key];
  const key = keyFor(lower, upper, now);
  return key === null ? spread(moving) : [{ id: moved.id, key }];
}

/**
 * Moves a todo directly after or before another in the manual order of its workspace. One that is there already is
 * unchanged. Moves of a workspace are done one after the other. @throws Failure 400, 404, 412.
 */
export function moveTodo(ctx: Context, input: { todoId: string } & Place): Promise<TodoAnswer> {
  const { workspaceId } = ctx.principal;
  const { after, before } = input;
  if ((after === undefined) === (before === undefined)) throw invalid('after', 'Pass either after or before.');
  const side = after === undefined ? 'before' : 'after';
  const [todoId, anchorId] = [input.todoId, after ?? before ?? ''];
  if (todoId === anchorId) throw invalid(side, 'A todo cannot be placed next to itself. Name another.');
  return ctx.db.transaction(async (db) => {
    await db.rows(lockOrder, [`todo order ${workspaceId}`]);
    await lockTodos(db, workspaceId, [todoId]);
    const todo = await findTodo(db, workspaceId, todoId);
    requireMatch(ctx.ifMatch, Todo, todo);
    const [anchor] = await db.rows<Placed>(placeOf, [workspaceId, anchorId]);
    if (!anchor) throw notFound('todo', side);
    const moving = { db, workspaceId, movedId: todoId, anchor, side, now: ctx.clock() } as const;
    const keys = await newKeys(moving, { id: todoId, key: todo.position });
    if (keys.length === 0) return todo;
    const ids = keys.map(({ id }) => id);
    await lockTodos(db, workspaceId, ids);
    const old = await findBareTodos(db, workspaceId, ids);
    await db.rows(setPositions, [workspaceId, ids, keys.map(({ key }) => key)]);
    const changed = await recordTodoChanges(db, workspaceId, old, await findBareTodos(db, workspaceId, ids));
    const moved = changed.find(({ id }) => id === todoId);
    return moved ? { ...moved, content: todo.content } : todo;
  });
}
