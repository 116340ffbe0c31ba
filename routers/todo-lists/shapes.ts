import { z } from 'zod';
import { Id, Instant, saidText, text } from '../fields.ts';

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
      .meta({ description: 'Todos filed here, not archived and not mere suggestions.', examples: [12] }),
    activeTodoCount: z.int().meta({ description: 'Of those, still to do rather than done.', examples: [5] }),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'TodoList' });

export type TodoListAnswer = z.infer<typeof TodoList>;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Something to see: not only spaces, joiners or marks. */
const visible = /[^\p{Z}\p{C}\p{M}]/u;
export const Emoji = text(32)
  .refine((value) => visible.test(value) && [...graphemes.segment(value)].length === 1, 'must be one emoji')
  .meta({ description: 'One emoji (a single grapheme).', examples: ['🛒'] });
export const ListName = saidText(100).meta({ examples: ['Groceries'] });
export const Color = saidText(32).meta({ description: 'Colour label.', examples: ['green'] });
