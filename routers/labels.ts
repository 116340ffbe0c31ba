import { z } from 'zod';
import { DeletedResource, Id, listOf } from '../domain/fields.ts';
import { getLabel, listLabels } from '../domain/labels/rows.ts';
import { Label, LabelCreate, LabelUpdate } from '../domain/labels/shapes.ts';
import { createLabel, deleteLabel, updateLabel } from '../domain/labels/write.ts';
import { op, procedure, router } from './base.ts';

export const labels = router({
  list: procedure
    .meta(
      op('GET /labels', {
        id: 'listLabels',
        scope: 'todos:read',
        summary: 'List the labels',
        description:
          'Returns all labels of the workspace in one page, by name. The todos with a label are in listTodos with `labelId`, and summariseTodos counts them.',
      }),
    )
    .input(z.strictObject({}))
    .output(listOf(Label, 'LabelPage'))
    .query(({ ctx }) => listLabels(ctx)),

  create: procedure
    .meta(
      op('POST /labels', {
        id: 'createLabel',
        scope: 'todos:write',
        summary: 'Create a label',
        description:
          'Creates a label, which everybody in the workspace may put on todos: with `labelIds` of createTodo and updateTodo, or `addLabelIds` of bulkUpdateTodos. Refused with 409 when another label has the name, ignoring case, or when the workspace has 200 labels. Unlike a list, a todo may have several labels, and needs none.',
        status: 201,
        keyed: true,
        etag: true,
        statuses: [409],
        events: ['label.created'],
      }),
    )
    .input(LabelCreate)
    .output(Label)
    .mutation(({ ctx, input }) => createLabel(ctx, input)),

  get: procedure
    .meta(
      op('GET /labels/{labelId}', {
        id: 'getLabel',
        scope: 'todos:read',
        summary: 'Get a label',
        description:
          'Returns the name and the colour of one label. The todos that have it are in listTodos with `labelId`.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(z.strictObject({ labelId: Id }))
    .output(Label)
    .query(({ ctx, input }) => getLabel(ctx, input)),

  update: procedure
    .meta(
      op('PATCH /labels/{labelId}', {
        id: 'updateLabel',
        scope: 'todos:write',
        summary: 'Rename or recolour a label',
        description:
          'Changes the name or the colour; omitted fields keep their values. Todos show the new name at once, while their `version` and `updatedAt` stay as they are: the only event is that of the label. Another label with the name, ignoring case, is 409.',
        sample: { name: 'Waiting for answer' },
        etag: true,
        statuses: [404, 409],
        events: ['label.updated'],
      }),
    )
    .input(LabelUpdate)
    .output(Label)
    .mutation(({ ctx, input }) => updateLabel(ctx, input)),

  delete: procedure
    .meta(
      op('DELETE /labels/{labelId}', {
        id: 'deleteLabel',
        scope: 'todos:write',
        summary: 'Delete a label',
        description:
          'Deletes a label for good and takes it off all todos, archived ones included. The todos stay as they are otherwise: their `version` and `updatedAt` do not move, and the only event is that of the label. To take a label off some todos, use bulkUpdateTodos with `removeLabelIds`.',
        etag: true,
        statuses: [404],
        events: ['label.deleted'],
      }),
    )
    .input(z.strictObject({ labelId: Id }))
    .output(DeletedResource)
    .mutation(({ ctx, input }) => deleteLabel(ctx, input)),
});
