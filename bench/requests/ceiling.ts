import { createHash } from 'node:crypto';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import postgres from 'postgres';
import { v7 as newId } from 'uuid';
import { instant, type Row, rankOf, ranks, todoOf } from './ceiling-answers.ts';
import { type Admitted, gateOf } from './ceiling-gate.ts';
import * as statements from './ceiling-sql.ts';

/*
 * The baseline of the bench: the same responses from Fastify and postgres.js alone, without schemas, error format,
 * entity tags or signed cursors, but with the same key check, request count, durability and rows.
 */

const identity = (value: string) => value;
const poolOf = (plan: string, max: number) =>
  postgres(process.env.DATABASE_URL ?? '', {
    max,
    connection: { application_name: 'ceiling', TimeZone: 'UTC', plan_cache_mode: plan },
    types: {
      instant: { to: 1184, from: [1184], serialize: identity, parse: instant },
      date: { to: 1082, from: [1082], serialize: identity, parse: identity },
    },
  });
const sql = poolOf('force_generic_plan', 20);
const fresh = poolOf('auto', 5);
const admit = gateOf(sql);
const rows = async (text: string, values: unknown[], pool = sql) =>
  (await pool.unsafe(text, values as never[], { prepare: true })) as unknown as Row[];

const app = fastify();

type Work = (who: Admitted, request: FastifyRequest) => Promise<unknown>;

function route(method: 'GET' | 'POST' | 'PATCH', url: string, status: number, work: Work): void {
  app.route({
    method,
    url: `/api/v1${url}`,
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const who = await admit(request.headers.authorization);
      if (!who) return reply.code(401).send('refused');
      const answer = await work(who, request);
      if (answer === undefined) return reply.code(404).send('not found');
      reply.code(status).headers({
        'content-type': 'application/json; charset=utf-8',
        'ratelimit-limit': who.quota,
        'ratelimit-remaining': who.remaining,
        'ratelimit-reset': who.reset,
      });
      return JSON.stringify(answer);
    },
  });
}

type Query = Record<string, string | undefined>;

async function search(who: Admitted, query: string, count: number): Promise<Row[]> {
  const terms = query.toLowerCase().split(/\s+/).filter(Boolean);
  const patterns = terms.map((term) => `%${term.replace(/[\\%_]/g, '\\$&')}%`);
  for (let window = 1000; window <= 10_000; ) {
    const found = await rows(statements.searchNear(terms.length), [who.workspaceId, count, window, ...patterns], fresh);
    const page = found.filter((row) => row.id !== null);
    if (page.length === count || Number(found[0]?.looked) < window) return page;
    if (window > 1000) break;
    window = Math.ceil((1500 * count) / page.length);
  }
  return rows(statements.searchIndex(terms.length), [who.workspaceId, count, ...patterns], fresh);
}

function pageOf(who: Admitted, query: Query, count: number): Promise<Row[]> {
  const { pages } = statements;
  const values: unknown[] = [who.workspaceId, count];
  if (query.query !== undefined) return search(who, query.query, count);
  if (query.cursor !== undefined) {
    const [value, id] = Buffer.from(query.cursor, 'base64url').toString().split(' ');
    return rows(pages.after, [...values, value, id]);
  }
  if (query.status === 'active') return rows(pages.active, values);
  if (query.sort === 'priority') return rows(pages.priority, values);
  if (query.sort === 'dueDate') return rows(pages.dueDate, values);
  if (query.priority !== undefined) return rows(pages.high, [...values, rankOf(query.priority)]);
  if (query.assignedToMe === 'true') return rows(pages.mine, [...values, who.userId]);
  return rows(pages.newest, values);
}

/** Creates a todo at most once per key, and returns its row as it was then. */
async function createOnce(who: Admitted, { body }: FastifyRequest, key: string, values: unknown[]): Promise<Row[]> {
  const { workspaceId, credentialId } = who;
  const fingerprint = createHash('sha256').update(JSON.stringify(body)).digest();
  try {
    return await rows(statements.createOnce, [...values, credentialId, key, fingerprint]);
  } catch (error) {
    if ((error as { code?: unknown }).code !== '23505') throw error;
    const [first] = await rows(statements.stored, [workspaceId, credentialId, key]);
    if (!fingerprint.equals(first?.fingerprint as Buffer)) throw error;
    const row = JSON.parse(String(first?.answer)) as Row;
    return [{ ...row, created_at: instant(String(row.created_at)), updated_at: instant(String(row.updated_at)) }];
  }
}

route('GET', '/todos', 200, async (who, request) => {
  const query = request.query as Query;
  const limit = Math.min(100, Number(query.limit ?? 25));
  const found = await pageOf(who, query, limit + 1);
  const last = found.length > limit ? found[limit - 1] : undefined;
  const nextCursor = last ? Buffer.from(`${last.created_at} ${last.id}`).toString('base64url') : null;
  const data = found.slice(0, limit).map(todoOf);
  return { object: 'list', data, hasMore: last !== undefined, nextCursor, totalCount: null };
});

route('GET', '/todos/summary', 200, async (who) => {
  const byStatus: Record<string, number> = { ready: 0, in_progress: 0, done: 0 };
  const byPriority: Record<string, number> = { urgent: 0, high: 0, medium: 0, low: 0, none: 0 };
  let [total, minutesSaved] = [0, 0];
  for (const row of await rows(statements.summary, [who.workspaceId])) {
    const [count, status] = [Number(row.count), String(row.status)];
    const priority = row.priority === null ? 'none' : (ranks[row.priority - 1] ?? '');
    byStatus[status] = (byStatus[status] ?? 0) + count;
    byPriority[priority] = (byPriority[priority] ?? 0) + count;
    total += count;
    minutesSaved += Number(row.minutes ?? 0);
  }
  const active = total - (byStatus.done ?? 0);
  return { object: 'todo_summary', total, active, byStatus, byPriority, minutesSaved };
});

route('GET', '/todos/:todoId', 200, async (who, request) => {
  const [row] = await rows(statements.get, [who.workspaceId, (request.params as Query).todoId]);
  return row && todoOf(row);
});

route('POST', '/todos', 201, async (who, request) => {
  const { title = null, content = null, priority, dueDate = null } = request.body as Query;
  const folded = [title?.toLowerCase() ?? '', content?.toLowerCase() ?? ''];
  const values = [who.workspaceId, newId(), title, content, rankOf(priority), dueDate, ...folded, who.userId];
  const key = request.headers['idempotency-key'];
  const [row] =
    typeof key === 'string' ? await createOnce(who, request, key, values) : await rows(statements.create, values);
  return row && todoOf(row);
});

route('PATCH', '/todos/:todoId', 200, async (who, request) => {
  const { title, status, priority } = request.body as Query;
  const sets = { ...(title && { title }), ...(status && { status }), ...(priority && { priority: rankOf(priority) }) };
  const values = [who.workspaceId, (request.params as Query).todoId, ...Object.values(sets)];
  if (title) values.push(title.toLowerCase());
  const [row] = await rows(statements.update(Object.keys(sets)), values);
  return row && todoOf(row);
});

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
process.on('SIGTERM', () => process.exit(0));
