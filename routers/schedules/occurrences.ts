import type { KeyObject } from 'node:crypto';
import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import type { World } from '../chats/turns.ts';
import { notFound } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { type CursorScope, pageOf, positionOf } from '../page.ts';
import { lockTodos } from '../todos/rows.ts';
import { occurrenceId } from './occurrence-ids.ts';
import { lockSchedules, nextRunOf } from './rows.ts';
import { Occurrence, type OccurrenceAnswer } from './shapes.ts';
import { nextOpenTime } from './states.ts';

const columns = `o.id, o.todo_id as "todoId", o.planned_at as "plannedAt", o.fired_at as "firedAt", o.status, o.run_id as "runId"`;

type OccurrenceRow = Omit<OccurrenceAnswer, 'object'>;

function occurrenceOf(row: OccurrenceRow): OccurrenceAnswer {
  return { object: 'todo_occurrence', ...row };
}

/** The one that is still to come. */
function comingOf(todoId: string, plannedAt: string): OccurrenceAnswer {
  const id = occurrenceId(todoId, plannedAt);
  return occurrenceOf({ id, todoId, plannedAt, firedAt: null, status: 'upcoming', runId: null });
}

const exists = 'select 1 from todos where workspace_id = $1 and id = $2';

interface Listing {
  todoId: string;
  limit: number;
  cursor?: string | undefined;
}

/**
 * One page of the planned times of a todo, the latest first: the coming one, where its schedule has one, before those
 * that came. @throws Failure 400 `invalid_cursor`, 404.
 */
export async function listOccurrences(
  db: Db,
  workspaceId: string,
  cursorKey: KeyObject,
  { todoId: given, limit, cursor }: Listing,
) {
  const todoId = given.toLowerCase();
  const order = { operation: 'listTodoOccurrences', sort: 'plannedAt', order: 'desc' };
  const scope: CursorScope = { key: cursorKey, workspaceId, ...order, filters: { todoId } };
  const after = cursor === undefined ? undefined : positionOf(scope, cursor);
  if ((await db.rows(exists, [workspaceId, todoId])).length === 0) throw notFound('todo', 'todoId');
  const next = await nextRunOf(db, workspaceId, todoId);
  const bindings = new Bindings();
  const where = [`o.workspace_id = ${bindings.bind(workspaceId)}`, `o.todo_id = ${bindings.bind(todoId)}`];
  if (after) where.push(`(o.planned_at, o.id) < (${bindings.bind(after[0])}::timestamptz, ${bindings.bind(after[1])})`);
  const text = `select ${columns} from todo_occurrences o where ${where.join(' and ')}
    order by o.planned_at desc, o.id desc limit ${bindings.bind(limit + 1)}`;
  const came = (await db.rows<OccurrenceRow>(text, bindings.values)).map(occurrenceOf);
  const isAhead = next !== null && (after === undefined || next < String(after[0]));
  const known = came.some((each) => each.plannedAt === next);
  const rows = isAhead && !known ? [...came, comingOf(todoId, next)].sort(latestFirst) : came;
  return { object: 'list' as const, ...pageOf(rows, limit, scope, (each) => [each.plannedAt, each.id]) };
}

function latestFirst(a: OccurrenceAnswer, b: OccurrenceAnswer): number {
  return a.plannedAt < b.plannedAt ? 1 : -1;
}

const one = `select ${columns} from todo_occurrences o where o.workspace_id = $1 and o.todo_id = $2 and o.id = $3`;
const tick = `update todo_occurrences o set status = $4 where o.workspace_id = $1 and o.todo_id = $2 and o.id = $3
  returning ${columns}`;
const settle = `insert into todo_occurrences as o (workspace_id, id, todo_id, planned_at, status)
  values ($1, $3, $2, $4, $5) returning ${columns}`;
const advance = `update todo_schedules set next_run_at = $3::timestamptz,
    status = case when $3::timestamptz is null then 'completed' else status end, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and todo_id = $2`;
const touch = 'update todos set updated_at = greatest(now(), updated_at) where workspace_id = $1 and id = $2';

interface Ticking {
  todoId: string;
  occurrenceId: string;
  status: 'done' | 'skipped';
}

/**
 * Ticks off one planned time of a todo, or leaves it out. The coming one then does not fire any more, and the schedule
 * goes on to the one after. @throws Failure 404, 412.
 */
export function updateOccurrence(
  world: Pick<World, 'db' | 'clock'>,
  workspaceId: string,
  { todoId: given, occurrenceId: wanted, status }: Ticking,
  ifMatch?: readonly string[],
): Promise<OccurrenceAnswer> {
  const todoId = given.toLowerCase();
  const id = wanted.toLowerCase();
  return world.db.transaction(async (tx) => {
    const known = await lockTodos(tx, workspaceId, [todoId]);
    if (!known.has(todoId)) throw notFound('todo', 'todoId');
    const [row] = await tx.rows<OccurrenceRow>(one, [workspaceId, todoId, id]);
    if (row) {
      requireMatch(ifMatch, Occurrence, occurrenceOf(row));
      const [ticked = row] = await tx.rows<OccurrenceRow>(tick, [workspaceId, todoId, id, status]);
      return occurrenceOf(ticked);
    }
    const now = world.clock();
    const [schedule] = await lockSchedules(tx, workspaceId, [todoId], now);
    const planned = schedule?.nextRunAt;
    if (!schedule || !planned || occurrenceId(todoId, planned) !== id) throw notFound('occurrence', 'occurrenceId');
    requireMatch(ifMatch, Occurrence, comingOf(todoId, planned));
    const [made] = await tx.rows<OccurrenceRow>(settle, [workspaceId, todoId, id, planned, status]);
    if (!made) throw new Error('An occurrence that was not made');
    const from = Math.max(Date.parse(planned), now.getTime());
    await tx.rows(advance, [workspaceId, todoId, nextOpenTime(schedule, from)]);
    await tx.rows(touch, [workspaceId, todoId]);
    return occurrenceOf(made);
  });
}
