import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { useOnPage } from '../edits/list-actions.ts';
import { useChanges } from '../edits/use-changes.ts';
import { useTodoCommands } from '../edits/use-todo-commands.tsx';
import type { Todo } from '../work/queries.ts';
import type { CardActions, DueOf } from './card.tsx';
import { type BoardColumn, Column } from './column.tsx';
import { type Status, stepFrom } from './steps.ts';
import { useMove } from './use-move.ts';

interface BoardProps {
  columns: readonly BoardColumn[];
  dueOf: DueOf;
  /** Shows a todo beside the board, or ends that. */
  peek: (todoId: string) => void;
}

/**
 * Todos as cards in columns by their status. Arrow keys move between the cards, M opens “Move to”, and a pointer drags them
 * to another column.
 */
export function Board({ columns, dueOf, peek }: BoardProps) {
  const navigate = useNavigate();
  const move = useMove();
  const [activeId, setActiveId] = useState<string>();
  const [dragged, setDragged] = useState<Todo>();
  const board = useRef<HTMLDivElement>(null);
  const { focus, held } = useCardFocus(board);
  const changes = useChanges();
  const chosen = () => columns.flatMap(({ todos }) => todos.filter(({ id }) => id === activeId));
  const { commands, dialogs } = useTodoCommands(chosen, changes);
  useOnPage('board', commands);
  const press = ({ id }: Todo, event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing) return;
    const next = stepFrom(
      columns.map(({ todos }) => todos.map((todo) => todo.id)),
      id,
      event.key,
    );
    if (next !== undefined) {
      setActiveId(next);
      focus(next);
    } else if (event.key === ' ') peek(id);
    else if (event.key === 'm' && !event.repeat) event.currentTarget.parentElement?.querySelector('button')?.click();
    else if (event.key === 'Enter') void navigate(`/todos/${id}`);
    else return;
    event.preventDefault();
  };
  const actions: CardActions = {
    dueOf,
    press,
    focused: ({ id, status }) => {
      setActiveId(id);
      held.current = { id, status };
    },
    move: (todo, status) => {
      setActiveId(todo.id);
      focus(todo.id);
      move(todo, status);
    },
    drop: move,
    drag: setDragged,
  };
  return (
    <>
      <p className="muted small board-hint">
        Arrow keys move between cards. M moves a card to another column, and ? lists the other keys.
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only notes where the focus is. */}
      <div
        ref={board}
        className="board"
        onBlur={() => {
          held.current = null;
        }}
      >
        {columns.map((column) => (
          <Column key={column.status} {...{ column, actions, activeId, dragged }} />
        ))}
      </div>
      {dialogs}
    </>
  );
}

/** Focuses a card once it is in the document, and keeps the focus on the board when its card leaves it. */
function useCardFocus(board: { readonly current: HTMLElement | null }) {
  const wanted = useRef<string | null>(null);
  const held = useRef<{ id: string; status: Status } | null>(null);
  useEffect(() => {
    const cardOf = (id: string) => board.current?.querySelector<HTMLElement>(`[data-id="${id}"]`);
    if (wanted.current !== null) {
      const card = cardOf(wanted.current);
      if (card) wanted.current = null;
      return card?.focus();
    }
    // Chromium fires no blur when the element in focus is removed.
    if (held.current === null || document.activeElement !== document.body) return;
    const { id, status } = held.current;
    (cardOf(id) ?? board.current?.querySelector<HTMLElement>(`[data-status="${status}"] a`))?.focus();
  });
  return {
    held,
    focus: (id: string) => {
      wanted.current = id;
    },
  };
}
