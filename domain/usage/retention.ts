import type { Db } from '../../db/client.ts';

/** Entries per read and transaction. */
const batch = 1000;
/** Days begin at a multiple of it in every time zone that is in use. */
const quarterHourMs = 15 * 60_000;

interface Entry {
  id: string;
  agentId: string | null;
  chatId: string | null;
  turnId: string | null;
  todoId: string | null;
  trigger: string | null;
  minutes: number;
  createdAt: string;
}

// Locked: two processes that sum up the same entries do so one after the other.
const pass = `select id, agent_id as "agentId", chat_id as "chatId", turn_id as "turnId", todo_id as "todoId", trigger,
    minutes::float8, created_at as "createdAt"
  from minute_entries
  where workspace_id = $1 and kind = 'turn' and created_at < $2::timestamptz and (created_at, id) > ($3::timestamptz, $4::uuid)
  order by created_at, id limit ${batch} for update`;
const change = `update minute_entries e set minutes = s.tenths / 10.0 from jsonb_to_recordset($2::jsonb) as s(id uuid, tenths int)
  where e.workspace_id = $1 and e.id = s.id`;
const remove = 'delete from minute_entries where workspace_id = $1 and id = any($2::uuid[])';

/** What entries of one sum have in common: all but their minutes and the time within a quarter of an hour. */
function sumKeyOf({ agentId, chatId, turnId, todoId, trigger, createdAt }: Entry): string {
  const quarter = Math.floor(Date.parse(createdAt) / quarterHourMs);
  return JSON.stringify([turnId, agentId, chatId, todoId, trigger, quarter]);
}

async function sumUp(tx: Db, workspaceId: string, entries: readonly Entry[]): Promise<number> {
  const sums: { id: string; tenths: number }[] = [];
  const gone: string[] = [];
  for (const [first, ...more] of Map.groupBy(entries, sumKeyOf).values()) {
    if (!first || more.length === 0) continue;
    const tenths = [first, ...more].reduce((sum, { minutes }) => sum + Math.round(minutes * 10), 0);
    sums.push({ id: first.id, tenths });
    gone.push(...more.map(({ id }) => id));
  }
  if (gone.length === 0) return 0;
  await tx.rows(change, [workspaceId, JSON.stringify(sums)]);
  await tx.rows(remove, [workspaceId, gone]);
  return gone.length;
}

/**
 * Sums up the entries of each turn within a quarter of an hour, for those made from `from` (null: the first) until
 * `until` (RFC 3339): the first of them gets the minutes of all. The balance, and every report by days in any time
 * zone, by agent, by trigger and by the number of turns, stay as they are. Returns how many entries are fewer.
 */
export async function sumOldMinutes(
  db: Db,
  workspaceId: string,
  { from, until }: { from: string | null; until: string },
): Promise<number> {
  let fewer = 0;
  let last: Pick<Entry, 'id' | 'createdAt'> | undefined = {
    id: '00000000-0000-0000-0000-000000000000',
    createdAt: from ?? '-infinity',
  };
  while (last) {
    const values: string[] = [workspaceId, until, last.createdAt, last.id];
    const [entries, gone]: [Entry[], number] = await db.transaction(async (tx) => {
      const found = await tx.rows<Entry>(pass, values);
      return [found, await sumUp(tx, workspaceId, found)];
    });
    fewer += gone;
    last = entries.length === batch ? entries.at(-1) : undefined;
  }
  return fewer;
}
