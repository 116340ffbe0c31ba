import { hash } from 'node:crypto';
import { stringify } from 'uuid';
import type { z } from 'zod';
import type { Db } from '../../db/client.ts';
import type { Context } from '../context.ts';
import { conflict } from '../errors.ts';
import { recordEvents } from '../events/record.ts';
import { wholeList } from '../fields.ts';
import type { CaptureRef } from '../jobs.ts';
import { folded } from '../text.ts';
import type { CaptureTag } from './shapes.ts';

/** Tags as sent, trimmed and once each: key → name, in the order given. */
function keyed(tags: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const tag of tags) {
    const name = tag.trim();
    const key = folded(name);
    if (!names.has(key)) names.set(key, name);
  }
  return names;
}

/** The id of a tag in events, which hold no text: a UUIDv8 made of a hash of its key. */
function tagId(workspaceId: string, key: string): string {
  const bytes = hash('sha256', `tag ${workspaceId} ${key}`, 'buffer').subarray(0, 16);
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return stringify(bytes);
}

// Whether other captures have a tag is read while the row of the tag is locked, both when it is added and when it is
// removed.
const uncarried = `select t.key from capture_tags t where t.workspace_id = $1 and t.key = any($2::text[])
    and not exists (select from captures c
      where c.workspace_id = $1 and c.id <> $3::uuid and c.tags @> array[t.name])
  order by t.key`;
const lock = 'select 1 from capture_tags where workspace_id = $1 and key = any($2::text[]) order by key for update';

/** Records the events of tags in the list that appear with a capture, or disappear without it. Returns their number. */
async function recordTags(
  db: Db,
  { workspaceId, captureId }: CaptureRef,
  type: 'tag.created' | 'tag.deleted',
  keys: readonly string[],
): Promise<number> {
  if (keys.length === 0) return 0;
  const rows = await db.rows<{ key: string }>(uncarried, [workspaceId, keys, captureId]);
  const events = rows.map(({ key }) => ({ type, objectId: tagId(workspaceId, key), parents: { captureId } }));
  await recordEvents(db, workspaceId, events);
  return events.length;
}

/**
 * Records the events of tags that no other capture has, when a locked capture loses all its tags because it is erased.
 */
export async function recordTagsOfErased(db: Db, capture: CaptureRef, tags: readonly string[]): Promise<void> {
  const keys = tags.map(folded);
  if (keys.length === 0) return;
  await db.rows(lock, [capture.workspaceId, keys]);
  await recordTags(db, capture, 'tag.deleted', keys);
}

// In the order of the keys, so that two writers cannot deadlock.
const settle = `insert into capture_tags as t (workspace_id, key, name)
  select $1::uuid, s.key, s.name from unnest($2::text[], $3::text[]) as s(key, name) order by s.key
  on conflict (workspace_id, key) do update set last_used_at = greatest(now(), t.last_used_at)
  returning key, name`;

/** Tags that the captures of a workspace have at most: they are listed in one page. */
const maxTags = 2000;

const lockTags = `select pg_advisory_xact_lock(hashtextextended('tags ' || $1, 0))`;
const countKnown = 'select count(*)::int as count from capture_tags where workspace_id = $1';
const countCarried = `select count(*)::int as count from (select tag from captures, unnest(tags) as tag
    where workspace_id = $1 and id <> $2 union select unnest($3::text[])) t`;

/**
 * Checks that a workspace has room for the tags of a capture, some of which are new to it. Near the limit, captures
 * with new tags are saved one after another, so that they exceed the limit together by a few at most.
 * @throws Failure 409.
 */
async function requireRoom(db: Db, { workspaceId, captureId }: CaptureRef, names: readonly string[]): Promise<void> {
  const [known] = await db.rows<{ count: number }>(countKnown, [workspaceId]);
  if ((known?.count ?? 0) <= maxTags) return;
  await db.rows(lockTags, [workspaceId]);
  const [carried] = await db.rows<{ count: number }>(countCarried, [workspaceId, captureId, names]);
  if ((carried?.count ?? 0) <= maxTags) return;
  throw conflict(`The captures of a workspace have at most ${maxTags} tags. Use those that there are.`);
}

/**
 * The tags of a capture in the spelling of the workspace, which the first use of a tag sets for good. Sets
 * `last_used_at` of those that are not among `before`, and records which tags now have their first capture, or no
 * capture any more. Call it in the transaction that writes them, with the capture locked if it exists.
 * @throws Failure 409 when there are too many.
 */
export async function settleTags(
  db: Db,
  capture: CaptureRef,
  tags: readonly string[],
  before: readonly string[] = [],
): Promise<string[]> {
  const { workspaceId } = capture;
  const names = keyed(tags);
  const settled = new Map(before.map((name) => [folded(name), name]));
  const fresh = [...names].filter(([key]) => !settled.has(key));
  const keys = fresh.map(([key]) => key);
  const gone = [...settled.keys()].filter((key) => !names.has(key));
  if (gone.length > 0) await db.rows(lock, [workspaceId, [...keys, ...gone]]);
  if (fresh.length > 0) {
    const columns = [keys, fresh.map(([, name]) => name)];
    const rows = await db.rows<{ key: string; name: string }>(settle, [workspaceId, ...columns]);
    for (const { key, name } of rows) settled.set(key, name);
  }
  const spelled = [...names].map(([key, name]) => settled.get(key) ?? name);
  const created = await recordTags(db, capture, 'tag.created', keys);
  if (created > 0) await requireRoom(db, capture, spelled);
  await recordTags(db, capture, 'tag.deleted', gone);
  return spelled;
}

const spellings = 'select key, name from capture_tags where workspace_id = $1 and key = any($2::text[])';

/** The keys of the tags of a filter, sorted: the same for any order and case. */
export function tagKeys(tags: readonly string[]): string[] {
  return [...keyed(tags).keys()].sort();
}

/** The tags of these keys in the spelling of the workspace; undefined when one of them was never used. */
export async function spelledTags(db: Db, workspaceId: string, keys: readonly string[]): Promise<string[] | undefined> {
  const rows = await db.rows<{ name: string }>(spellings, [workspaceId, keys]);
  return rows.length === keys.length ? rows.map(({ name }) => name) : undefined;
}

const carried = `select t.name, c.count as "captureCount", t.last_used_at as "lastUsedAt"
  from (select tag, (count(*) filter (where archived_at is null))::int as count
    from captures, unnest(tags) as tag where workspace_id = $1 group by tag) c
  join capture_tags t on t.workspace_id = $1 and t.name = c.tag`;

const collator = new Intl.Collator('en');

/** The tags of the workspace's captures, archived ones included, sorted by name. */
export async function listTags({ db, principal }: Context) {
  const rows = await db.rows<Omit<z.infer<typeof CaptureTag>, 'object'>>(carried, [principal.workspaceId]);
  rows.sort((one, other) => collator.compare(one.name, other.name));
  return wholeList(rows.map((row) => ({ object: 'tag' as const, ...row })));
}
