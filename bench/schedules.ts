import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { v7 as newId } from 'uuid';
import { connect, type Database } from '../db/client.ts';
import { openEmbedded } from '../db/embedded/index.ts';
import { migrate } from '../db/migrate.ts';
import { createWorkspace } from '../db/seed.ts';
import type { ServiceContext } from '../domain/context.ts';
import { notifyDue } from '../domain/notifications/events.ts';
import { createScheduler } from '../server/scheduler/index.ts';
import { fine, tenths, whole } from './harness/figures.ts';

export interface ScheduleFigures {
  schedules: number;
  due: number;
  /** Percent of a core of this process, and of one PostgreSQL connection, while nothing is due. */
  idleCore: number;
  idleConnection: number;
  /** From the common due time to the start of the last one, in seconds. */
  lastSeconds: number;
}

async function fill(db: Database, schedules: number): Promise<string> {
  const email = `${newId()}@example.com`;
  const names = { workspaceName: 'Bench', userName: 'Bench', passwordHash: 'none', timezone: 'UTC' };
  const { workspaceId, userId } = await createWorkspace(db, { ...names, email, agentMinutes: 1_000_000 });
  const todos = `insert into todos (workspace_id, id, title, todo_list_id, is_scheduled)
    select $1, uuidv7(), 'Todo ' || n, l.id, true from generate_series(1, $2::int) n, todo_lists l
    where l.workspace_id = $1 and l.is_default`;
  await db.rows(todos, [workspaceId, schedules]);
  await db.rows(
    `insert into todo_assignees (workspace_id, todo_id, position, user_id, agent_id, created_at)
      select $1, t.id, 1, case when t.n % 2 = 0 then $2::uuid end, case when t.n % 2 = 1 then a.id end, t.created_at
      from (select id, created_at, row_number() over (order by id) as n from todos where workspace_id = $1) t,
        agents a where a.workspace_id = $1 and a.is_default`,
    [workspaceId, userId],
  );
  await db.rows(
    `insert into todo_schedules (workspace_id, todo_id, kind, rrule, timezone, starts_at, status, next_run_at, user_id, scopes)
      select $1, id, 'recurring', 'FREQ=DAILY;BYHOUR=9;BYMINUTE=0', 'Europe/Berlin', now() - interval '400 days', 'pending',
        now() + interval '1 day' + random() * interval '1 day', $2, '{todos:read,todos:write}' from todos where workspace_id = $1`,
    [workspaceId, userId],
  );
  await db.rows('analyze', []);
  return workspaceId;
}

/** Seconds that PostgreSQL has spent executing statements in this database. */
async function statementSeconds(db: Database): Promise<number> {
  const [row] = await db.rows<{ ms: number }>(
    `select coalesce(sum(active_time), 0)::float8 as ms from pg_stat_database where datname = current_database()`,
    [],
  );
  return (row?.ms ?? 0) / 1000;
}

/**
 * Measures how long it takes to start schedules that are due in the same second (half assigned to agents, half to
 * people, among many others), and the cost of the scheduler while nothing is due.
 */
export async function measureSchedules(
  { schedules, due, idleSeconds }: { schedules: number; due: number; idleSeconds: number },
  print: (line: string) => void,
): Promise<ScheduleFigures> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tandem-bench-'));
  const embedded = await openEmbedded({ dataDir });
  const db = connect(embedded.url, { poolSize: 8 });
  try {
    await migrate(db.driver);
    const workspaceId = await fill(db, schedules);
    const live = { subscribe: () => () => {}, isFollowed: () => false };
    const ctx: ServiceContext = { db, live, clock: () => new Date(), mail: { sends: false } };
    const scheduler = createScheduler({ ctx, notifyDue, log: pino({ level: 'warn' }) });

    scheduler.start();
    await sleep(2000);
    const [cpu, statements] = [process.cpuUsage(), await statementSeconds(db)];
    await sleep(idleSeconds * 1000);
    const { user, system } = process.cpuUsage(cpu);
    const asked = (await statementSeconds(db)) - statements;
    const idleCore = (user + system) / 1e4 / idleSeconds;
    print(`  ${schedules} schedules idle              ${fine(idleCore)} % of a core`);

    const planned = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3000);
    await db.rows(
      `update todo_schedules set next_run_at = $2 where workspace_id = $1 and todo_id in
        (select todo_id from todo_schedules where workspace_id = $1 order by random() limit $3)`,
      [workspaceId, planned.toISOString(), due],
    );
    const lastSeconds = await lastStart(db, workspaceId, due, planned);
    print(`  ${due} due in one second           the last began after ${tenths(lastSeconds)} s`);
    await scheduler.stop(10);
    return { schedules, due, idleCore, idleConnection: (asked * 100) / idleSeconds, lastSeconds };
  } finally {
    await db.close();
    await embedded.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const started = `select count(*)::int as fired, max(created_at) as last from todo_occurrences where workspace_id = $1`;

/** Seconds from `planned` to the last of `due` starts. @throws Error after two minutes. */
async function lastStart(db: Database, workspaceId: string, due: number, planned: Date): Promise<number> {
  const deadline = planned.getTime() + 120_000;
  for (;;) {
    const [row] = await db.rows<{ fired: number; last: string | null }>(started, [workspaceId]);
    if (row?.fired === due && row.last !== null) return (Date.parse(row.last) - planned.getTime()) / 1000;
    if (Date.now() > deadline) throw new Error(`only ${row?.fired} of ${due} schedules began`);
    await sleep(200);
  }
}

const targets = { core: 1, seconds: 10 };
const marked = (text: string, missed: boolean) => (missed ? `**${text}**` : text);

/** The figures as Markdown. Missed targets are bold. */
export function reportSchedules(figures: ScheduleFigures): string {
  const { schedules, due, idleCore, idleConnection, lastSeconds } = figures;
  return `### Schedules

${whole(schedules)} schedules, nothing due: ${marked(`${fine(idleCore)} %`, idleCore >= targets.core)} of a core (target < ${targets.core} %), ${fine(idleConnection)} % of a connection busy in PostgreSQL.
${whole(due)} of them due in the same second: the last one began ${marked(`${tenths(lastSeconds)} s`, lastSeconds > targets.seconds)} after it (target ≤ ${targets.seconds} s).`;
}
