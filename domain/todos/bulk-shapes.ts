import { z } from 'zod';
import { CursorText, Id } from '../fields.ts';
import { TodoFilters } from './listing-shapes.ts';
import { TodoUpdate } from './shapes.ts';

/** Todos that one request changes at most: by their ids, by a filter, and by a filter when each may start work. */
const maxIds = 100;
export const maxMatches = { plain: 1000, starting: 100 } as const;
/** Todos that one request archives at most, with the sub-todos that are archived with them. */
export const maxArchived = 1000;

/** A change of many todos: of those in `ids`, or of those that `where` matches. */
export const TodoBulkUpdate = z
  .strictObject({
    ids: z
      .array(Id)
      .min(1)
      .max(maxIds)
      .optional()
      .describe(
        'Give this or `where`. Todos with contents of more than 8 MiB together are refused: send some at a time.',
      ),
    where: TodoFilters.optional().meta({
      description:
        'All todos that listTodos lists with these filters, up to 1,000 a call, or 100 when `patch` sets `assignees` or `schedule`; fewer when they are archived with many sub-todos, or have contents of more than 8 MiB together. While the answer has `hasMore`, send the same with `nextCursor` as `cursor`.',
      examples: [{ status: 'done', todoListId: '019ca8a0-3e80-7602-8fae-580f5863abfb' }],
    }),
    expectedCount: z
      .int()
      .min(0)
      .optional()
      .describe(
        'With `where`: the number of todos that it must match from here on; otherwise nothing changes and the response is 409.',
      ),
    cursor: CursorText.describe('With `where`: `nextCursor` of the call before.'),
    patch: TodoUpdate.optional().meta({ description: 'What to change in each.', examples: [{ status: 'done' }] }),
    archive: z
      .literal(true)
      .optional()
      .describe('Archive them instead, with their sub-todos: up to 1,000 a call, sub-todos counted.'),
    dryRun: z.boolean().default(false).describe('Return the todos as they would be, and change nothing.'),
  })
  .meta({ id: 'TodoBulkUpdateParams' });

export type TodoBulkInput = z.infer<typeof TodoBulkUpdate>;
