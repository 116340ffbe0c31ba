import type { z } from 'zod';
import type { Db } from '../../db/client.ts';
import { upcomingRuns } from '../schedules/plan.ts';
import { schedulesOf } from '../schedules/rows.ts';
import { findTodo } from './rows.ts';
import type { TodoAnswer, TodoDetail } from './shapes.ts';

/** A todo with the next times of its schedule. @throws Failure 404. */
export async function findTodoDetail(db: Db, workspaceId: string, todoId: string) {
  const todo = await findTodo(db, workspaceId, todoId);
  return { todo, detail: await detailOf(db, workspaceId, todo) };
}

async function detailOf(db: Db, workspaceId: string, todo: TodoAnswer): Promise<z.infer<typeof TodoDetail>> {
  if (todo.nextRunAt === null) return { ...todo, upcomingRuns: [] };
  const [schedule] = await schedulesOf(db, workspaceId, [todo.id], false);
  return { ...todo, upcomingRuns: schedule ? upcomingRuns(schedule, todo.nextRunAt) : [] };
}
