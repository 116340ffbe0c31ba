import { useState } from 'react';
import type { LabelChange } from '../labels/choices.ts';
import { LabelChips } from '../labels/label-chips.tsx';
import { LazyLabelDialog } from '../labels/lazy-dialog.tsx';
import type { Todo } from '../outbox/merge.ts';
import { Button } from '../ui/button.tsx';
import { type Save, useOpened } from './opened.ts';

/** The labels of a todo, and the button that opens their dialog. */
export function TodoLabels({ todo, save }: { todo: Todo; save: Save }) {
  const { focus, change } = useOpened(todo, save);
  const [isOpen, setOpen] = useState(false);
  const store = ({ addLabelIds = [], removeLabelIds = [] }: LabelChange) => {
    const left = todo.labels.map(({ id }) => id).filter((id) => !removeLabelIds.includes(id));
    void change({ labelIds: [...left, ...addLabelIds].sort() });
  };
  return (
    <fieldset className="assignees labels" {...focus}>
      <legend>Labels</legend>
      <LabelChips labels={todo.labels} />
      <Button kind="quiet" aria-haspopup="dialog" aria-expanded={isOpen} onPress={() => setOpen(true)}>
        {todo.labels.length === 0 ? 'Add labels' : 'Change labels'}
      </Button>
      <LazyLabelDialog of={isOpen ? { todos: [todo], save: store } : null} close={() => setOpen(false)} />
    </fieldset>
  );
}
