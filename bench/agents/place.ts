import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchDatabase } from '../harness/database.ts';
import { jobsTable } from './ceiling-sql.ts';

/** Minutes that every workspace has more while agents are measured: they must not run out. */
const moreMinutes = 1_000_000;

/** Makes the workspaces ready for agents that never stop to ask or for want of minutes. */
export async function prepare({ db }: BenchDatabase): Promise<void> {
  await db.rows('update workspaces set agent_minutes = agent_minutes + $1::numeric', [moreMinutes]);
  await db.rows('update agents set requires_approval = false', []);
  await db.rows('drop table if exists bench_jobs', []);
  await db.rows(jobsTable, []);
}

/** Erases what agents made since then, so that the next run finds the same sizes. */
export async function tidy({ db }: BenchDatabase, since: string): Promise<void> {
  await db.rows('drop table if exists bench_jobs', []);
  await db.rows(
    `update workspaces w set agent_minutes = agent_minutes - $1::numeric + coalesce((select -sum(minutes)
       from minute_entries e where e.workspace_id = w.id and e.created_at >= $2 and e.kind = 'turn'), 0)`,
    [moreMinutes, since],
  );
  for (const table of ['minute_entries', 'chats', 'todos'])
    await db.rows(`delete from ${table} where created_at >= $1`, [since]);
}

const openJobs = {
  service: `select ((select count(*) from chat_turns where ended_at is null and lease_until is not null)
    + (select count(*) from digests))::int as n`,
  ceiling: 'select count(*)::int as n from bench_jobs',
};
export type Target = keyof typeof openJobs;

/** How many jobs are still to do. */
export async function jobsLeft({ db }: BenchDatabase, target: Target): Promise<number> {
  const [row] = await db.rows<{ n: number }>(openJobs[target], []);
  return row?.n ?? 0;
}

const timeoutMs = 120_000;

/**
 * Waits until all jobs are done: titles and subtitles are written after their turns. @throws Error when they are not.
 */
export async function settled(database: BenchDatabase, target: Target): Promise<void> {
  for (const begun = performance.now(); (await jobsLeft(database, target)) > 0; await sleep(10)) {
    if (performance.now() - begun > timeoutMs) throw new Error('The jobs of the agents are not done in time.');
  }
}

const left = `select c.status, c.message_count, c.title is not null as title, c.subtitle is not null as subtitle,
    c.agent_id, c.todo_id, c.error_message, c.completed_at >= c.created_at as completed,
    (select json_agg(json_build_array(m.sequence, m.role, m.text, m.blocks, m.turn_id is not null, m.agent_id, m.user_id)
      order by m.sequence) from messages m where m.workspace_id = c.workspace_id and m.chat_id = c.id) as messages,
    (select json_agg(json_build_array(t.outcome, t.attempt, t.minutes, t.trigger, t.scopes, t.depth, t.agent_id, t.user_id,
        t.worker_id, t.active_ms > 0) order by t.created_at)
      from chat_turns t where t.workspace_id = c.workspace_id and t.chat_id = c.id) as turns,
    (select json_agg(json_build_array(e.kind, e.minutes, e.agent_id, e.todo_id, e.trigger) order by e.created_at)
      from minute_entries e where e.workspace_id = c.workspace_id and e.chat_id = c.id) as charged
  from chats c where c.id = $1`;

/** All that a chat left in the database, but for ids, times and the marks in its messages. */
export async function leftBy({ db }: BenchDatabase, chatId: string): Promise<string> {
  const [row] = await db.rows(left, [chatId], 'custom');
  return JSON.stringify(row ?? null).replaceAll(/\bno[0-9a-z]+on\b/g, 'mark');
}
