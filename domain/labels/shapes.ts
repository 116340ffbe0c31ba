import { z } from 'zod';
import { labelColors } from '../../db/schema/labels.ts';
import { Id, Instant, nonBlankText } from '../fields.ts';

/** Labels of a workspace, and of one todo, at most. */
export const maxLabels = 200;
export const maxLabelsOfTodo = 20;
const maxName = 50;

export const LabelColor = z.enum(labelColors).meta({ examples: ['green'] });

const LabelName = z.string().meta({ examples: ['Waiting'] });

export const Label = z
  .object({
    object: z.literal('label'),
    id: Id,
    name: LabelName,
    color: LabelColor,
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'Label' });

export type LabelAnswer = z.infer<typeof Label>;

/** A label on a todo, with the name and the colour that it has now. */
export const TodoLabel = z
  .object({ object: z.literal('todo_label'), id: Id, name: LabelName, color: LabelColor })
  .meta({ id: 'TodoLabel' });

const NewName = nonBlankText(maxName).meta({
  description: 'Unique in the workspace, ignoring case. Spaces around it are removed.',
  examples: ['Waiting'],
});

/** A new label. */
export const LabelCreate = z
  .strictObject({ name: NewName, color: LabelColor.default('gray') })
  .meta({ id: 'LabelCreateParams' });

/** A change of a label; omitted fields are unchanged. */
export const LabelUpdate = z
  .strictObject({ labelId: Id, name: NewName.optional(), color: LabelColor.optional() })
  .meta({ id: 'LabelUpdateParams' });

export type LabelChanges = Omit<z.infer<typeof LabelUpdate>, 'labelId'>;

/** Ids of labels in a request; repeated ones count once. */
export const LabelIds = z.array(Id).max(maxLabelsOfTodo);
