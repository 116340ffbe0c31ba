import { createHash } from 'node:crypto';
import { and, desc, eq, gt, inArray, isNull, or, sql } from 'drizzle-orm';
import { integer, pgSchema, primaryKey, timestamp, uuid } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import postgres from 'postgres';
import { v7 as newId } from 'uuid';
import { credentials } from '../../db/schema/access.ts';
import { todoAssignees, todoLists, todoSearch, todos } from '../../db/schema/todos.ts';
import { agents, members, users } from '../../db/schema/workspaces.ts';
import { instant, type Row, rankOf, todoOf } from '../requests/ceiling-answers.ts';
import { countsSchema } from './todos.ts';

/*
 * The same endpoint as it is usually written: Fastify and the query builder of drizzle, a statement that looks up the
 * key and one that counts the request in a table of its own, then the work, one statement after the other.
 */

const db = drizzle(postgres(process.env.DATABASE_URL ?? '', { max: 20, connection: { TimeZone: 'UTC' } }));
const requests = pgSchema(countsSchema).table(
  'requests',
  {
    credentialId: uuid('credential_id').notNull(),
    minute: timestamp('minute', { withTimezone: true, mode: 'string' }).notNull(),
    count: integer('count').notNull(),
  },
  (table) => [primaryKey({ columns: [table.credentialId, table.minute] })],
);

type Caller = typeof credentials.$inferSelect;

/**
 * The credential of a request, once that is counted; undefined: it is not valid, or has had its requests of the minute.
 */
async function admit(authorization = ''): Promise<Caller | undefined> {
  const secret = createHash('sha256').update(authorization.slice(7)).digest();
  const [found] = await db
    .select({ credential: credentials })
    .from(credentials)
    .innerJoin(members, and(eq(members.workspaceId, credentials.workspaceId), eq(members.userId, credentials.userId)))
    .where(
      and(
        eq(credentials.secretHash, secret),
        isNull(credentials.revokedAt),
        isNull(members.removedAt),
        or(isNull(credentials.expiresAt), gt(credentials.expiresAt, sql`now()`)),
      ),
    );
  if (!found) return undefined;
  const { id, rateLimitPerMinute } = found.credential;
  const [counted] = await db
    .insert(requests)
    .values({ credentialId: id, minute: sql`date_trunc('minute', now())`, count: 1 })
    .onConflictDoUpdate({
      target: [requests.credentialId, requests.minute],
      set: { count: sql`${requests.count} + 1` },
    })
    .returning();
  return counted && counted.count <= rateLimitPerMinute ? found.credential : undefined;
}

type Todo = typeof todos.$inferSelect;

/** The answers to rows, with the names of their assignees. */
async function answersOf(workspaceId: string, rows: Todo[]) {
  const ids = rows.map(({ id }) => id);
  const found = await db
    .select({ todo: todoAssignees.todoId, user: users, agent: agents, member: members })
    .from(todoAssignees)
    .leftJoin(users, eq(users.id, todoAssignees.userId))
    .leftJoin(members, and(eq(members.workspaceId, workspaceId), eq(members.userId, todoAssignees.userId)))
    .leftJoin(agents, and(eq(agents.workspaceId, workspaceId), eq(agents.id, todoAssignees.agentId)))
    .where(and(eq(todoAssignees.workspaceId, workspaceId), inArray(todoAssignees.todoId, ids)))
    .orderBy(todoAssignees.position);
  const assigned = Map.groupBy(found, ({ todo }) => todo);
  return rows.map((todo) => {
    const assignees = (assigned.get(todo.id) ?? []).map(({ user, agent, member }) =>
      user
        ? ['user', user.id, user.name, member?.removedAt != null]
        : ['agent', agent?.id, agent?.name, agent?.archivedAt != null],
    );
    const row = {
      ...todo,
      todo_list_id: todo.todoListId,
      due_date: todo.dueDate,
      capture_id: todo.captureId,
      parent_todo_id: todo.parentTodoId,
      is_suggested: todo.isSuggested,
      minutes_saved: todo.minutesSaved,
      minutes_saved_reason: todo.minutesSavedReason,
      minutes_saved_confidence: todo.minutesSavedConfidence,
      created_at: instant(`${todo.createdAt}`),
      updated_at: instant(`${todo.updatedAt}`),
      position: todo.position ?? todo.id.replaceAll('-', ''),
      archived: todo.archivedAt !== null,
      parts: null,
      labels: null,
      assignees,
    };
    return todoOf(row as unknown as Row);
  });
}

type Body = Record<'title' | 'content' | 'priority' | 'dueDate', string | undefined>;

function create({ workspaceId, userId }: Caller, { title, content, priority, dueDate }: Body): Promise<Todo[]> {
  return db.transaction(async (tx) => {
    const [list] = await tx
      .select()
      .from(todoLists)
      .where(and(eq(todoLists.workspaceId, workspaceId), eq(todoLists.isDefault, true)));
    const id = newId();
    const values = {
      workspaceId,
      id,
      title,
      content,
      priority: rankOf(priority),
      dueDate,
      source: 'user_created' as const,
    };
    const made = await tx
      .insert(todos)
      .values({ ...values, todoListId: list?.id ?? '' })
      .returning();
    const folded = { title: title?.toLowerCase() ?? '', content: content?.toLowerCase() ?? '' };
    await tx.insert(todoSearch).values({ workspaceId, todoId: id, ...folded });
    const createdAt = made[0]?.createdAt ?? sql`now()`;
    await tx.insert(todoAssignees).values({ workspaceId, todoId: id, position: 1, userId, createdAt });
    return made;
  });
}

const app = fastify();

function route(method: 'GET' | 'POST', url: string, work: (who: Caller, request: FastifyRequest) => Promise<unknown>) {
  app.route({
    method,
    url: `/api/v1${url}`,
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const who = await admit(request.headers.authorization);
      if (!who) return reply.code(401).send('refused');
      return reply.code(method === 'POST' ? 201 : 200).send(await work(who, request));
    },
  });
}

route('GET', '/todos', async ({ workspaceId }, request) => {
  const limit = Math.min(100, Number((request.query as Record<string, string>).limit ?? 25));
  const rows = await db
    .select()
    .from(todos)
    .where(and(eq(todos.workspaceId, workspaceId), isNull(todos.archivedAt), eq(todos.isSuggested, false)))
    .orderBy(desc(todos.createdAt), desc(todos.id))
    .limit(limit + 1);
  const hasMore = rows.length > limit;
  const data = await answersOf(workspaceId, rows.slice(0, limit));
  const last = hasMore ? data.at(-1) : undefined;
  const nextCursor = last ? Buffer.from(`${last.createdAt} ${last.id}`).toString('base64url') : null;
  return { object: 'list', data, hasMore, nextCursor, totalCount: null };
});

route('GET', '/todos/:todoId', async ({ workspaceId }, request) => {
  const { todoId } = request.params as { todoId: string };
  const rows = await db
    .select()
    .from(todos)
    .where(and(eq(todos.workspaceId, workspaceId), eq(todos.id, todoId)));
  const [answer] = await answersOf(workspaceId, rows);
  return answer;
});

route('POST', '/todos', async (who, { body }) => {
  const [answer] = await answersOf(who.workspaceId, await create(who, body as Body));
  return answer;
});

await app.listen({ host: process.env.HOST ?? '127.0.0.1', port: Number(process.env.PORT) });
