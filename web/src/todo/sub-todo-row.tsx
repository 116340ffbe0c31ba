import { useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { Link } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import type { Change, Todo } from '../outbox/merge.ts';
import { Icon } from '../ui/icons.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { useNotice } from '../ui/notice.tsx';
import { DueDay } from '../ui/time.tsx';
import { Assigned, nameOf, workOf } from '../work/todo-parts.tsx';

interface SubTodoRowProps {
  todo: Todo;
  isFirst: boolean;
  isLast: boolean;
  /** Moves it by one row up or down. */
  move: (step: 1 | -1) => void;
}

/** A sub-todo on the page of its parent. Its box checks it off, Alt with an arrow key or its menu moves it. */
export function SubTodoRow({ todo, isFirst, isLast, move }: SubTodoRowProps) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const [chosen, setChosen] = useState<Todo['status'] | null>(null);
  const { id, dueDate, assignees } = todo;
  const name = nameOf(todo);
  const status = chosen ?? todo.status;
  const work = workOf(todo);
  const change = async (changes: Change) => {
    try {
      await api.todos.update.mutate({ todoId: id, ...changes });
      await readAgain(queryClient, 'todos');
    } catch (error) {
      notify(problemOf(error).message);
    }
  };
  const toggle = async () => {
    const next = status === 'done' ? 'ready' : 'done';
    setChosen(next);
    await change({ status: next });
    setChosen(null);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key] as 1 | -1 | undefined;
    if (step === undefined || !event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    move(step);
  };
  const actions = {
    up: () => move(-1),
    down: () => move(1),
    out: () => void change({ parentTodoId: null }),
  };
  return (
    <li className={status === 'done' ? 'done' : undefined} data-id={id}>
      <input
        ref={(box) => {
          if (box) box.indeterminate = status === 'in_progress';
        }}
        type="checkbox"
        checked={status === 'done'}
        aria-label={`Done: ${name}`}
        aria-busy={chosen !== null}
        onChange={() => void toggle()}
        onKeyDown={press}
      />
      <Link to={`/todos/${id}`} aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown" onKeyDown={press}>
        {name}
      </Link>
      <span className="sub-todo-facts">
        {work && <span className={`todo-work ${work.tone}`}>{work.text}</span>}
        {dueDate !== null && <DueDay on={dueDate} />}
        <Assigned to={assignees} />
      </span>
      <MenuButton
        label={`More for “${name}”`}
        className="side-icon"
        heading={name}
        entries={[
          ...(isFirst ? [] : [{ id: 'up', label: 'Move up' }]),
          ...(isLast ? [] : [{ id: 'down', label: 'Move down' }]),
          { id: 'out', label: 'Take it out' },
        ]}
        onChoose={(action) => actions[action as keyof typeof actions]()}
      >
        <Icon name="more" />
      </MenuButton>
    </li>
  );
}
