import { z } from 'zod';
import { DeletedResource, Id, listOf } from '../domain/fields.ts';
import { getView, listViews } from '../domain/views/rows.ts';
import { View, ViewCreate, ViewUpdate } from '../domain/views/shapes.ts';
import { createView, deleteView, updateView } from '../domain/views/write.ts';
import { op, procedure, router } from './base.ts';

export const views = router({
  list: procedure
    .meta(
      op('GET /views', {
        id: 'listViews',
        scope: 'todos:read',
        summary: 'List the saved views',
        description:
          'Returns the private views of the owner of the credential, then those that are shared with the workspace, each in the order of the sidebar, in one page. To read the todos of a view, pass its `query` to listTodos, without `group` and `layout`.',
      }),
    )
    .input(z.strictObject({}))
    .output(listOf(View, 'ViewPage'))
    .query(({ ctx }) => listViews(ctx)),

  create: procedure
    .meta(
      op('POST /views', {
        id: 'createView',
        scope: 'todos:write',
        summary: 'Save a view',
        description:
          'Saves filters of listTodos with an order and a layout under a name. A private view is seen by the owner of the credential alone, a shared one by all members of the workspace. There are at most 100 of each (409). Dates in `query` are fixed days.',
        sample: { name: 'Urgent', query: { priority: ['urgent', 'high'], sort: 'dueDate' } },
        status: 201,
        keyed: true,
        etag: true,
        statuses: [409],
        events: ['view.created'],
      }),
    )
    .input(ViewCreate)
    .output(View)
    .mutation(({ ctx, input }) => createView(ctx, input)),

  get: procedure
    .meta(
      op('GET /views/{viewId}', {
        id: 'getView',
        scope: 'todos:read',
        summary: 'Get a saved view',
        description:
          'Returns one view with its query. A private view of somebody else is not found. Its todos are in listTodos with the fields of `query`.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(z.strictObject({ viewId: Id }))
    .output(View)
    .query(({ ctx, input }) => getView(ctx, input)),

  update: procedure
    .meta(
      op('PATCH /views/{viewId}', {
        id: 'updateView',
        scope: 'todos:write',
        summary: 'Rename, share, move or change a saved view',
        description:
          'Changes the fields that you send; omitted ones keep their values, and `query` replaces the whole query. A private view is changed by its owner, a shared one also by the owners of the workspace (403 for others). `afterViewId` moves it in the sidebar; one whose sharing changes comes last.',
        sample: { name: 'Urgent this week' },
        etag: true,
        statuses: [403, 404, 409],
        events: ['view.updated'],
      }),
    )
    .input(ViewUpdate)
    .output(View)
    .mutation(({ ctx, input }) => updateView(ctx, input)),

  delete: procedure
    .meta(
      op('DELETE /views/{viewId}', {
        id: 'deleteView',
        scope: 'todos:write',
        summary: 'Delete a saved view',
        description:
          'Deletes a view for good; the todos that it shows stay as they are. A private view is deleted by its owner, a shared one also by the owners of the workspace (403 for others).',
        etag: true,
        statuses: [403, 404],
        events: ['view.deleted'],
      }),
    )
    .input(z.strictObject({ viewId: Id }))
    .output(DeletedResource)
    .mutation(({ ctx, input }) => deleteView(ctx, input)),
});
