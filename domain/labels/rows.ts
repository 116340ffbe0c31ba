import { and, asc, eq } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { labels } from '../../db/schema/labels.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { wholeList } from '../fields.ts';
import { Label, type LabelAnswer } from './shapes.ts';

const columns = {
  id: labels.id,
  name: labels.name,
  color: labels.color,
  createdAt: labels.createdAt,
  updatedAt: labels.updatedAt,
};

/** The condition of one label of a workspace. */
export function isLabel(workspaceId: string, labelId: string) {
  return and(eq(labels.workspaceId, workspaceId), eq(labels.id, labelId));
}

/** The label of this id. @throws Failure 404 when the workspace has no such label. */
export async function findLabel({ orm }: Db, workspaceId: string, labelId: string): Promise<LabelAnswer> {
  const [row] = await orm.select(columns).from(labels).where(isLabel(workspaceId, labelId));
  if (!row) throw notFound('label', 'labelId');
  return { object: 'label', ...row };
}

/** Get one label. @throws Failure 404. */
export function getLabel({ db, principal }: Context, { labelId }: { labelId: string }): Promise<LabelAnswer> {
  return findLabel(db, principal.workspaceId, labelId);
}

/** All labels of the workspace, by name. */
export async function listLabels({ db, principal }: Context) {
  const isHere = eq(labels.workspaceId, principal.workspaceId);
  const rows = await db.orm.select(columns).from(labels).where(isHere).orderBy(asc(labels.key));
  return wholeList(rows.map((row): LabelAnswer => ({ object: 'label', ...row })));
}

/** The label with its row locked, so that a precondition holds until the write. @throws Failure 404, 412. */
export async function lockLabel({ db, principal, ifMatch }: Context, labelId: string): Promise<LabelAnswer> {
  const { workspaceId } = principal;
  await db.orm.select({ id: labels.id }).from(labels).where(isLabel(workspaceId, labelId)).for('update');
  const label = await findLabel(db, workspaceId, labelId);
  requireMatch(ifMatch, Label, label);
  return label;
}
