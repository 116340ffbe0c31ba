import { eq } from 'drizzle-orm';
import { v7 as newId } from 'uuid';
import type { z } from 'zod';
import { changedNow } from '../../db/schema/columns.ts';
import { labels } from '../../db/schema/labels.ts';
import type { Context } from '../context.ts';
import { conflict } from '../errors.ts';
import { changedFieldsOf, recordErasure } from '../events/changes.ts';
import { recordEvent } from '../events/record.ts';
import { folded } from '../text.ts';
import { findLabel, isLabel, lockLabel } from './rows.ts';
import { type LabelAnswer, type LabelChanges, type LabelCreate, maxLabels } from './shapes.ts';

/** Creations in one workspace come one after the other, so that they cannot exceed the number of labels together. */
const lockCreation = `select pg_advisory_xact_lock(hashtextextended('labels ' || $1, 0))`;

/** Creates a label. @throws Failure 409 when the name is taken or the workspace has too many. */
export function createLabel(ctx: Context, { name: given, color }: z.infer<typeof LabelCreate>): Promise<LabelAnswer> {
  const { workspaceId } = ctx.principal;
  const [id, name] = [newId(), given.trim()];
  return ctx.db.transaction(async (db) => {
    await db.rows(lockCreation, [workspaceId]);
    const count = await db.orm.$count(labels, eq(labels.workspaceId, workspaceId));
    if (count >= maxLabels) throw conflict(`A workspace has at most ${maxLabels} labels. Delete one first.`);
    await db.orm.insert(labels).values({ workspaceId, id, name, key: folded(name), color });
    await recordEvent(db, workspaceId, { type: 'label.created', objectId: id });
    return findLabel(db, workspaceId, id);
  });
}

/**
 * Renames or recolours a label; todos show it as it is now, and are not changed themselves.
 * @throws Failure 404, 409 when the name is taken, 412.
 */
export function updateLabel(
  ctx: Context,
  { labelId, ...changes }: LabelChanges & { labelId: string },
): Promise<LabelAnswer> {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const label = await lockLabel({ ...ctx, db }, labelId);
    const name = changes.name?.trim() ?? label.name;
    const color = changes.color ?? label.color;
    if (name === label.name && color === label.color) return label;
    const values = { name, key: folded(name), color, updatedAt: changedNow };
    await db.orm.update(labels).set(values).where(isLabel(workspaceId, labelId));
    const after = await findLabel(db, workspaceId, labelId);
    const changedFields = changedFieldsOf(label, after);
    await recordEvent(db, workspaceId, { type: 'label.updated', objectId: label.id, changedFields });
    return after;
  });
}

/** Deletes a label and takes it off all todos, which are not changed otherwise. @throws Failure 404, 412. */
export function deleteLabel(ctx: Context, { labelId }: { labelId: string }) {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const { id } = await lockLabel({ ...ctx, db }, labelId);
    await db.orm.delete(labels).where(isLabel(workspaceId, labelId));
    await recordErasure(db, workspaceId, [{ type: 'label.deleted', objectId: id }]);
    return { object: 'deleted' as const, id, deleted: true as const, recoverable: false };
  });
}
