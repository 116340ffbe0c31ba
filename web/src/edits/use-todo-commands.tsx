import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { LazyLabelDialog } from '../labels/lazy-dialog.tsx';
import type { Todo } from '../todo-common/queries.ts';
import { waitsForPerson } from '../todo-common/todo-parts.tsx';
import { lazyOverlay } from '../ui/lazy-overlay.tsx';
import { noneAhead, type TypedAhead } from '../ui/typed-ahead.tsx';
import type { FieldName, TodoCommands } from './list-actions.ts';
import type { Changes } from './use-changes.ts';

const DecideDialog = lazyOverlay(() =>
  import('../approvals/decide-dialog.tsx').then(({ DecideDialog }) => DecideDialog),
);
const FieldDialog = lazyOverlay(() => import('./field-dialog.tsx').then(({ FieldDialog }) => FieldDialog));

interface Asked {
  field: FieldName | 'labels';
  todos: readonly Todo[];
  ahead: TypedAhead;
}

/** What commands do with the todos that `chosen` returns, and the dialogs in which they ask. */
export function useTodoCommands(
  chosen: () => readonly Todo[],
  changes: Changes,
): { commands: TodoCommands; dialogs: ReactNode; decide: (todo: Todo) => void } {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [decided, decide] = useState<Todo | null>(null);
  const ask = (field: Asked['field']) => {
    const todos = chosen();
    if (todos.length === 0) return;
    setAsked({ field, todos, ahead: { ...noneAhead } });
  };
  const close = () => setAsked(null);
  return {
    commands: {
      complete: () => changes.complete(chosen()),
      archive: () => changes.archive(chosen()),
      undo: changes.undo,
      label: () => ask('labels'),
      hasTodos: () => chosen().length > 0,
      waits: () => chosen().some(waitsForPerson),
      decide: () => decide(chosen().find(waitsForPerson) ?? null),
      choose: ask,
      schedule: () => {
        const [todo] = chosen();
        if (todo) void navigate(`/todos/${todo.id}#schedule`);
      },
    },
    decide,
    dialogs: decided ? (
      <DecideDialog todo={decided} close={() => decide(null)} />
    ) : (
      asked &&
      (asked.field === 'labels' ? (
        <LazyLabelDialog
          of={{ todos: asked.todos, save: (change, outcome) => changes.patch(asked.todos, change, outcome) }}
          close={close}
        />
      ) : (
        <FieldDialog {...asked} field={asked.field} changes={changes} close={close} />
      ))
    ),
  };
}
