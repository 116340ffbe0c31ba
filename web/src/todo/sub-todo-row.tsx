import type { KeyboardEvent } from 'react';
import { Link } from 'react-router';
import { problemOf } from '../api/client.ts';
import { useChanges } from '../edits/use-changes.ts';
import type { Todo } from '../outbox/merge.ts';
import { useIdentity } from '../session/session.ts';
import { Assigned, nameOf, workOf } from '../todo-common/todo-parts.tsx';
import { Icon } from '../ui/icons.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { useNotice } from '../ui/notice.tsx';
import { DueDay } from '../ui/time.tsx';
import { addNoted } from './use-todo.ts';

interface SubTodoRowProps {
  todo: Todo;
  isFirst: boolean;
  isLast: boolean;
  /** Moves it by one row up or down. */
  move: (step: 1 | -1) => void;
}

/** A sub-todo on the page of its parent. Its box checks it off, Alt with an arrow key or its menu moves it. */
export function SubTodoRow({ todo, isFirst, isLast, move }: SubTodoRowProps) {
  const identity = useIdentity();
  const notify = useNotice();
  const changes = useChanges();
  const { id, dueDate, assignees, status } = todo;
  const name = nameOf(todo);
  const work = workOf(todo);
  const takeOut = async () => {
    const action = { operation: 'update', change: { parentTodoId: null } } as const;
    const outcome = await addNoted(identity, { action, todos: [todo] });
    if (outcome.state === 'refused') notify(outcome.problem.message);
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
    out: () => void takeOut().catch((error: unknown) => notify(problemOf(error).message)),
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
        onChange={() => changes.complete([todo])}
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
