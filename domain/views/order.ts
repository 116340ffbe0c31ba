import type { Db } from '../../db/client.ts';
import { invalid } from '../errors.ts';
import type { ViewAnswer } from './shapes.ts';

type Kind = Pick<ViewAnswer, 'userId' | 'isShared'>;

/** Changes of the order and the number of views in one workspace come one after the other. */
const lock = `select pg_advisory_xact_lock(hashtextextended('views ' || $1, 0))`;
const ofKind = `select id from saved_views
  where workspace_id = $1 and is_shared = $2 and ($2 or user_id = $3) order by position, id`;
const arrange = `update saved_views v set position = o.place
  from unnest($2::uuid[]) with ordinality o(id, place)
  where v.workspace_id = $1 and v.id = o.id and v.position <> o.place`;

/** Locks the order of the views until the transaction ends. Call it before a row of a view is locked. */
export async function lockOrder(db: Db, workspaceId: string): Promise<void> {
  await db.rows(lock, [workspaceId]);
}

/** The ids of the views among which one of this kind stands, in their order: those of its owner, or the shared ones. */
export async function orderOf(db: Db, workspaceId: string, { userId, isShared }: Kind): Promise<string[]> {
  return (await db.rows<{ id: string }>(ofKind, [workspaceId, isShared, userId])).map(({ id }) => id);
}

/**
 * Places a view among those of its kind: after another one, first with null, at the end with undefined. Returns whether
 * its place is another one. @throws Failure 400 when the other one is not of its kind.
 */
export async function place(
  db: Db,
  workspaceId: string,
  view: Kind & { id: string },
  afterViewId: string | null | undefined,
): Promise<boolean> {
  const before = await orderOf(db, workspaceId, view);
  const others = before.filter((id) => id !== view.id);
  const found = typeof afterViewId === 'string' ? others.indexOf(afterViewId) : others.length - 1;
  if (typeof afterViewId === 'string' && found < 0) {
    const kind = view.isShared ? 'a shared view' : 'a private view of the same owner';
    throw invalid('afterViewId', `afterViewId: must be ${kind} other than this one.`);
  }
  const wanted = others.toSpliced(afterViewId === null ? 0 : found + 1, 0, view.id);
  if (wanted.join() === before.join()) return false;
  await db.rows(arrange, [workspaceId, wanted]);
  return true;
}
