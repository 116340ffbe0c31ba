import { hash } from 'node:crypto';
import { and, eq, getTableColumns } from 'drizzle-orm';
import { stringify } from 'uuid';
import type { Db } from '../../db/client.ts';
import { todoOccurrences } from '../../db/schema/schedules.ts';
import type { OccurrenceAnswer } from '../schedules/shapes.ts';

/**
 * The id of the occurrence of a todo that is planned for an instant: a UUIDv7 of that instant whose random part is a
 * hash of both. So the next occurrence has an id before it has a row, and the row gets the same id.
 */
export function occurrenceId(todoId: string, plannedAt: string): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Date.parse(plannedAt), 0, 6);
  hash('sha256', `${todoId} ${plannedAt}`, 'buffer').copy(bytes, 6, 0, 10);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return stringify(bytes);
}

const { workspaceId: _, createdAt: __, ...columns } = getTableColumns(todoOccurrences);

/** The columns of an occurrence. */
export const occurrenceColumns = columns;

export type OccurrenceRow = Omit<typeof todoOccurrences.$inferSelect, 'workspaceId' | 'createdAt'>;

/** The occurrence of a row. */
export function occurrenceOf(row: OccurrenceRow): OccurrenceAnswer {
  return { object: 'todo_occurrence', ...row };
}

/** The next occurrence of a schedule, which has no row yet. */
export function nextOccurrence(todoId: string, plannedAt: string): OccurrenceAnswer {
  const id = occurrenceId(todoId, plannedAt);
  return occurrenceOf({ id, todoId, plannedAt, firedAt: null, status: 'upcoming', runId: null });
}

/** The condition of one occurrence of a todo. */
export function isOccurrence(workspaceId: string, { todoId, id }: { todoId: string; id: string }) {
  const ofTodo = and(eq(todoOccurrences.workspaceId, workspaceId), eq(todoOccurrences.todoId, todoId));
  return and(ofTodo, eq(todoOccurrences.id, id));
}

/** The stored occurrence of this id, undefined when there is none. */
export async function findOccurrence(db: Db, workspaceId: string, key: { todoId: string; id: string }) {
  const [row] = await db.orm.select(columns).from(todoOccurrences).where(isOccurrence(workspaceId, key));
  return row && occurrenceOf(row);
}
