import { and, asc, eq, or } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { savedViews } from '../../db/schema/views.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { wholeList } from '../fields.ts';
import type { Viewer } from '../todos/filter.ts';
import { requireMember } from '../workspaces/membership.ts';
import { SavedQuery, View, type ViewAnswer } from './shapes.ts';

const columns = {
  id: savedViews.id,
  userId: savedViews.userId,
  name: savedViews.name,
  icon: savedViews.icon,
  isShared: savedViews.isShared,
  query: savedViews.query,
  createdAt: savedViews.createdAt,
  updatedAt: savedViews.updatedAt,
};

type Row = Omit<ViewAnswer, 'object' | 'query'> & { query: unknown };

/** A query that a later release stored may have values that this one does not know: they are left out. */
function viewOf({ query, ...row }: Row): ViewAnswer {
  const known = SavedQuery.safeParse(query);
  return { object: 'view', ...row, query: known.success ? known.data : {} };
}

/** The views that a person sees: their own and the shared ones. */
function isVisible({ workspaceId, userId }: Viewer) {
  return and(eq(savedViews.workspaceId, workspaceId), or(eq(savedViews.userId, userId), eq(savedViews.isShared, true)));
}

/** The view of this id. @throws Failure 404 when there is none, or it is private to somebody else. */
export async function findView({ orm }: Db, viewer: Viewer, viewId: string): Promise<ViewAnswer> {
  const [row] = await orm
    .select(columns)
    .from(savedViews)
    .where(and(isVisible(viewer), eq(savedViews.id, viewId)));
  if (!row) throw notFound('view', 'viewId');
  return viewOf(row);
}

/** Get one view. @throws Failure 404. */
export function getView({ db, principal }: Context, { viewId }: { viewId: string }): Promise<ViewAnswer> {
  return findView(db, principal, viewId);
}

/** The private views of the person, then the shared ones, each in their order. */
export async function listViews({ db, principal }: Context) {
  const order = [asc(savedViews.isShared), asc(savedViews.position), asc(savedViews.id)];
  const rows = await db.orm
    .select(columns)
    .from(savedViews)
    .where(isVisible(principal))
    .orderBy(...order);
  return wholeList(rows.map(viewOf));
}

/**
 * The view with its row locked, for somebody who may change it: its owner, and of a shared one the owners of the
 * workspace.
 * @throws Failure 403, 404, 412.
 */
export async function lockView({ db, principal, ifMatch }: Context, viewId: string): Promise<ViewAnswer> {
  const { workspaceId, userId } = principal;
  const isThis = and(eq(savedViews.workspaceId, workspaceId), eq(savedViews.id, viewId));
  await db.orm.select({ id: savedViews.id }).from(savedViews).where(isThis).for('update');
  const view = await findView(db, principal, viewId);
  if (view.userId !== userId) await requireMember(db, principal, workspaceId, true);
  requireMatch(ifMatch, View, view);
  return view;
}
