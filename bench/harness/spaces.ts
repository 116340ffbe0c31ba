import type { BenchDatabase } from './database.ts';

/** A workspace to send requests to: its key and some of its todos. */
export interface Space {
  key: string;
  ids: string[];
}

/** The giant workspace (first) and up to `count` small ones, with some of their todos. */
export async function sampleSpaces({ db, keys }: Pick<BenchDatabase, 'db' | 'keys'>, count: number): Promise<Space[]> {
  const text = `select t.id from todos t join credentials c on c.workspace_id = t.workspace_id
    where c.secret_hash = sha256(convert_to($1, 'UTF8')) and t.archived_at is null and not t.is_suggested
    order by md5(t.id::text) limit $2`;
  const chosen = [0, ...Array.from({ length: Math.min(count, keys.length - 1) }, (_, i) => 1 + i)];
  return Promise.all(
    chosen.map(async (place) => {
      const key = keys[place] ?? '';
      const rows = await db.rows<{ id: string }>(text, [key, place === 0 ? count * 4 : 20], 'custom');
      return { key, ids: rows.map((row) => row.id) };
    }),
  );
}

/** A workspace, and the person whose key is used in it. */
export interface Owner {
  workspaceId: string;
  userId: string;
}

/** Whose each key is. */
export async function ownersOf(
  { db }: Pick<BenchDatabase, 'db'>,
  keys: readonly string[],
): Promise<Map<string, Owner>> {
  const text = `select k.key, c.workspace_id as "workspaceId", c.user_id as "userId" from unnest($1::text[]) as k(key)
    join credentials c on c.secret_hash = sha256(convert_to(k.key, 'UTF8'))`;
  const rows = await db.rows<Owner & { key: string }>(text, [keys]);
  return new Map(rows.map(({ key, ...owner }) => [key, owner]));
}

/** The giant workspace, and the person whose key is used in it. */
export async function giantOf({ db, keys }: BenchDatabase): Promise<Owner> {
  const [owner] = (await ownersOf({ db }, keys.slice(0, 1))).values();
  if (!owner) throw new Error('The giant workspace has no key');
  return owner;
}
