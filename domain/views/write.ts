import { and, eq } from 'drizzle-orm';
import { v7 as newId } from 'uuid';
import type { z } from 'zod';
import type { Db } from '../../db/client.ts';
import { changedNow } from '../../db/schema/columns.ts';
import { savedViews } from '../../db/schema/views.ts';
import type { Context } from '../context.ts';
import { conflict } from '../errors.ts';
import { changedFieldsOf, recordErasure } from '../events/changes.ts';
import { type NewEvent, recordEvent } from '../events/record.ts';
import { lockOrder, orderOf, place } from './order.ts';
import { findView, lockView } from './rows.ts';
import { maxViews, type ViewAnswer, type ViewChanges, type ViewCreate } from './shapes.ts';

/** The event of a view, which others read only if they see it, or saw it before the change. */
function eventOf({ id, userId, isShared }: ViewAnswer, event: Pick<NewEvent, 'type' | 'changedFields'>): NewEvent {
  return { ...event, objectId: id, ...(!isShared && { readerId: userId }) };
}

/** @throws Failure 409 when there is no room for another view of this kind. */
async function requireRoom(db: Db, workspaceId: string, view: Pick<ViewAnswer, 'userId' | 'isShared'>): Promise<void> {
  if ((await orderOf(db, workspaceId, view)).length < maxViews) return;
  const whose = view.isShared ? 'A workspace has' : 'A person has';
  throw conflict(`${whose} at most ${maxViews} ${view.isShared ? 'shared' : 'private'} views. Delete one first.`);
}

/** Saves a view of the caller. @throws Failure 400, 409 when there are too many. */
export function createView(ctx: Context, input: z.infer<typeof ViewCreate>): Promise<ViewAnswer> {
  const { workspaceId, userId } = ctx.principal;
  const { name, icon = null, isShared, query, afterViewId } = input;
  const id = newId();
  return ctx.db.transaction(async (db) => {
    await lockOrder(db, workspaceId);
    await requireRoom(db, workspaceId, { userId, isShared });
    const position = maxViews + 1;
    await db.orm.insert(savedViews).values({ workspaceId, id, userId, name, icon, isShared, query, position });
    await place(db, workspaceId, { id, userId, isShared }, afterViewId);
    const view = await findView(db, ctx.principal, id);
    await recordEvent(db, workspaceId, eventOf(view, { type: 'view.created' }));
    return view;
  });
}

/**
 * Changes a view; omitted fields are unchanged. @throws Failure 400, 403, 404, 409 when there are too many shared, 412.
 */
export function updateView(
  ctx: Context,
  { viewId, ...changes }: ViewChanges & { viewId: string },
): Promise<ViewAnswer> {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    await lockOrder(db, workspaceId);
    const before = await lockView({ ...ctx, db }, viewId);
    const { name = before.name, icon = before.icon, isShared = before.isShared, query = before.query } = changes;
    const wanted = { ...before, name, icon, isShared, query };
    const changedFields = changedFieldsOf(before, wanted);
    const isMoved = isShared !== before.isShared;
    if (isMoved) await requireRoom(db, workspaceId, wanted);
    if (changedFields.length > 0) {
      // Only these: what is stored of the others may be more than this release can show.
      const changed = Object.fromEntries(Object.entries(changes).filter(([field]) => changedFields.includes(field)));
      const values = { ...changed, updatedAt: changedNow, ...(isMoved && { position: maxViews + 1 }) };
      const isThis = and(eq(savedViews.workspaceId, workspaceId), eq(savedViews.id, before.id));
      await db.orm.update(savedViews).set(values).where(isThis);
    }
    const placed = isMoved || changes.afterViewId !== undefined;
    if (placed && (await place(db, workspaceId, wanted, changes.afterViewId))) changedFields.push('position');
    if (changedFields.length === 0) return before;
    // A workspace owner who makes the view of somebody else private does not see it afterwards.
    const after = await findView(db, { workspaceId, userId: before.userId }, before.id);
    const readable = { ...after, isShared: before.isShared || after.isShared };
    await recordEvent(db, workspaceId, eventOf(readable, { type: 'view.updated', changedFields }));
    return after;
  });
}

/** Deletes a view; the todos that it shows stay. @throws Failure 403, 404, 412. */
export function deleteView(ctx: Context, { viewId }: { viewId: string }) {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const view = await lockView({ ...ctx, db }, viewId);
    await db.orm.delete(savedViews).where(and(eq(savedViews.workspaceId, workspaceId), eq(savedViews.id, view.id)));
    await recordErasure(db, workspaceId, [eventOf(view, { type: 'view.deleted' })]);
    return { object: 'deleted' as const, id: view.id, deleted: true as const, recoverable: false };
  });
}
