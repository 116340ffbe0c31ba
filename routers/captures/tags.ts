import type { z } from 'zod';
import type { Db } from '../../db/client.ts';
import { folded } from '../folding.ts';
import type { CaptureTag } from './shapes.ts';

/** Tags as they were sent, trimmed and once each: by their key, in the order given. */
function keyed(tags: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const tag of tags) {
    const name = tag.trim();
    const key = folded(name);
    if (!names.has(key)) names.set(key, name);
  }
  return names;
}

// In the order of the keys, so that two writers never wait for each other.
const settle = `insert into capture_tags as t (workspace_id, key, name)
  select $1, s.key, s.name from unnest($2::text[], $3::text[]) as s(key, name) order by s.key
  on conflict (workspace_id, key) do update set last_used_at = greatest(now(), t.last_used_at)
  returning key, name`;

/**
 * The tags of a capture in the spelling of the workspace, which the first use of a tag sets for good; those that are
 * not among `before` count as used now. Call it in the transaction that writes them.
 */
export async function settleTags(
  db: Db,
  workspaceId: string,
  tags: readonly string[],
  before: readonly string[] = [],
): Promise<string[]> {
  const names = keyed(tags);
  const settled = new Map(before.map((name) => [folded(name), name]));
  const fresh = [...names].filter(([key]) => !settled.has(key));
  if (fresh.length > 0) {
    const columns = [fresh.map(([key]) => key), fresh.map(([, name]) => name)];
    const rows = await db.rows<{ key: string; name: string }>(settle, [workspaceId, ...columns]);
    for (const { key, name } of rows) settled.set(key, name);
  }
  return [...names].map(([key, name]) => settled.get(key) ?? name);
}

const spellings = 'select key, name from capture_tags where workspace_id = $1 and key = any($2::text[])';

/** The keys of tags that a filter names, in one order whatever the order and case they were sent in. */
export function tagKeys(tags: readonly string[]): string[] {
  return [...keyed(tags).keys()].sort();
}

/** The tags of these keys as captures carry them; undefined when one of them was never used, so that nothing has it. */
export async function spelledTags(db: Db, workspaceId: string, keys: readonly string[]): Promise<string[] | undefined> {
  const rows = await db.rows<{ name: string }>(spellings, [workspaceId, keys]);
  return rows.length === keys.length ? rows.map(({ name }) => name) : undefined;
}

const carried = `select t.name, c.count as "captureCount", t.last_used_at as "lastUsedAt"
  from (select tag, (count(*) filter (where archived_at is null))::int as count
    from captures, unnest(tags) as tag where workspace_id = $1 group by tag) c
  join capture_tags t on t.workspace_id = $1 and t.name = c.tag`;

const inWords = new Intl.Collator('en');

/** The tags that captures of the workspace carry, archived ones too, by name. */
export async function listTags(db: Db, workspaceId: string): Promise<z.infer<typeof CaptureTag>[]> {
  const rows = await db.rows<Omit<z.infer<typeof CaptureTag>, 'object'>>(carried, [workspaceId]);
  rows.sort((one, other) => inWords.compare(one.name, other.name));
  return rows.map((row) => ({ object: 'tag', ...row }));
}
