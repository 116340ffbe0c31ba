import { z } from 'zod';
import { Id, Instant, nonBlankText } from '../fields.ts';
import { Emoji } from '../todo-lists/shapes.ts';
import { TodoFilters, TodoListing } from '../todos/listing-shapes.ts';

/** Private views of one person, and shared views of one workspace, at most. */
export const maxViews = 100;

const { sort, order } = TodoListing.shape;

const examples: { priority: ('urgent' | 'high')[]; sort: 'dueDate' }[] = [
  { priority: ['urgent', 'high'], sort: 'dueDate' },
];

/** What a view shows: the filters and the order of listTodos, and how the page shows the rows. */
export const ViewQuery = TodoFilters.extend({
  sort: sort.removeDefault().optional(),
  order: order.removeDefault().optional(),
  group: z
    .enum(['status', 'priority', 'due', 'assignee', 'list'])
    .optional()
    .describe('Groups the rows of the page, or makes the columns of a board; omitted: no groups, a column per status.'),
  layout: z.enum(['board']).optional().describe('How the page shows the todos; omitted: as a list.'),
}).meta({ id: 'ViewQuery', examples });

/** The query of a view in an answer, where a later release may add fields. */
export const SavedQuery = ViewQuery.strip().meta({ id: 'SavedViewQuery', examples });

const Name = nonBlankText(80).meta({ examples: ['Urgent this week'] });
const isShared = z.boolean().describe('True: all members of the workspace see it. False: only its owner.');

/** A saved filter of a list of todos. */
export const View = z
  .object({
    object: z.literal('view'),
    id: Id,
    userId: Id.describe('Its owner.'),
    name: Name,
    icon: z
      .string()
      .nullable()
      .meta({ examples: ['🔥'] }),
    isShared,
    query: SavedQuery.describe('What it names, such as a list or a label, may have been deleted since.'),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'View' });

export type ViewAnswer = z.infer<typeof View>;

const afterViewId = Id.nullable()
  .optional()
  .describe('Places it after this one of its kind, private or shared; null: first. Omitted: at the end, or unchanged.');

/** A new view. */
export const ViewCreate = z
  .strictObject({
    name: Name,
    icon: Emoji.optional(),
    isShared: isShared.default(false),
    query: ViewQuery,
    afterViewId,
  })
  .meta({ id: 'ViewCreateParams' });

/** A change of a view; omitted fields are unchanged. */
export const ViewUpdate = z
  .strictObject({
    viewId: Id,
    name: Name.optional(),
    icon: Emoji.nullable().optional(),
    isShared: isShared.optional(),
    query: ViewQuery.optional().describe('Replaces the whole query.'),
    afterViewId,
  })
  .meta({ id: 'ViewUpdateParams' });

export type ViewChanges = Omit<z.infer<typeof ViewUpdate>, 'viewId'>;
