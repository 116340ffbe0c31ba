import { z } from 'zod';
import { Id, Instant, nonBlankText, text } from '../fields.ts';

export const TodoList = z
  .object({
    object: z.literal('todo_list'),
    id: Id,
    name: z.string().meta({ examples: ['Groceries'] }),
    emoji: z
      .string()
      .nullable()
      .meta({ examples: ['🛒'] }),
    color: z.string().nullable().describe('Colour label, such as green.'),
    isDefault: z.boolean().describe('Exactly one list per workspace is the default; it cannot be deleted.'),
    isArchived: z.boolean(),
    todoCount: z
      .int()
      .meta({ description: 'Todos in this list, without archived ones and suggestions.', examples: [12] }),
    activeTodoCount: z.int().meta({ description: 'Of those, the ones that are not done.', examples: [5] }),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'TodoList' });

export type TodoListAnswer = z.infer<typeof TodoList>;

/** Lists of a workspace at most, archived ones too: they are listed in one page. */
export const maxTodoLists = 1000;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** A visible character: no space, joiner or mark. */
const visible = /[^\p{Z}\p{C}\p{M}]/u;
export const Emoji = text(32)
  .refine((value) => visible.test(value) && [...graphemes.segment(value)].length === 1, 'must be one emoji')
  .meta({ description: 'One emoji (a single grapheme).', examples: ['🛒'] });
export const ListName = nonBlankText(100).meta({ examples: ['Groceries'] });
export const Color = nonBlankText(32).meta({ description: 'Colour label.', examples: ['green'] });

/** A new todo list. */
export const TodoListCreate = z
  .strictObject({ name: ListName, emoji: Emoji.optional(), color: Color.optional() })
  .meta({ id: 'TodoListCreateParams' });

/** A change of a todo list; omitted fields are unchanged. */
export const TodoListUpdate = z
  .strictObject({
    todoListId: Id,
    name: ListName.optional(),
    emoji: Emoji.nullable().optional(),
    color: Color.nullable().optional(),
    archived: z.boolean().optional().describe('True archives the list, false restores it.'),
  })
  .meta({ id: 'TodoListUpdateParams' });

export type TodoListChanges = Omit<z.infer<typeof TodoListUpdate>, 'todoListId'>;
