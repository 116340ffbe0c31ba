import type { TodoList } from '../todo-common/queries.ts';
import type { Filled } from '../ui/form.tsx';
import type { Fields } from '../ui/form-errors.tsx';
import { NamedFields } from '../ui/named-fields.tsx';

export const listFields: Fields = {
  name: { label: 'Name', required: 'Enter a name' },
  emoji: { label: 'Emoji' },
};
const maxName = 100;

/** An emoji that is left empty is null. */
export type ListValues = Pick<TodoList, 'name' | 'emoji'>;

/** The values of `ListFields`. */
export function listValues(filled: Filled): ListValues {
  return { name: filled.text('name').trim(), emoji: filled.text('emoji').trim() || null };
}

/** The name and the emoji of a list; empty for a new one. */
export function ListFields({ list }: { list?: TodoList }) {
  return <NamedFields name={list?.name} maxName={maxName} emojiField="emoji" emoji={list?.emoji} />;
}
