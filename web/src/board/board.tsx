import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { useOnPage } from '../edits/list-actions.ts';
import { useChanges } from '../edits/use-changes.ts';
import { useTodoCommands } from '../edits/use-todo-commands.tsx';
import type { Todo } from '../todo-common/queries.ts';
import { isComposing, latinKey } from '../ui/typed-ahead.tsx';
import type { CardActions, DueOf } from './card.tsx';
import { type BoardColumn, type BoardField, isIn, type PlacedCard } from './moves.ts';
import { keyOf, stepFrom } from './steps.ts';
import { useCardFocus } from './use-card-focus.ts';
import { useCards } from './use-cards.ts';
import { useLift } from './use-lift.ts';
import { useMove } from './use-move.tsx';

/** What a column has of its board. */
export interface OnBoard {
  actions: CardActions;
  /** The key of the card that was last in focus. */
  activeKey: string | undefined;
  selected: ReadonlySet<string>;
  /** The cards that a pointer holds. */
  dragged: readonly PlacedCard[];
  /** Whether a column takes the cards that a pointer holds. */
  takes: (columnId: string) => boolean;
  /** Notifies the board which todos a column has. */
  report: (columnId: string, todos: readonly Todo[]) => void;
}

interface BoardProps {
  field: BoardField;
  columns: readonly BoardColumn[];
  dueOf: DueOf;
  /** Shows a todo beside the board, or ends that. */
  peek: (todoId: string) => void;
  /** A column with its cards. */
  children: (column: BoardColumn, board: OnBoard) => ReactNode;
}

/**
 * Todos as cards in columns by one of their fields. Arrow keys move between the cards, X selects them, M opens “Move
 * to”, and a pointer drags them to another column.
 */
export function Board({ field, columns, dueOf, peek, children }: BoardProps) {
  const navigate = useNavigate();
  const [activeKey, setActiveKey] = useState<string>();
  const [dragged, setDragged] = useState<readonly PlacedCard[]>([]);
  const board = useRef<HTMLDivElement>(null);
  const { focus, follow, held } = useCardFocus(board);
  const changes = useChanges();
  const cards = useCards(columns);
  const { move, dialog } = useMove(field, changes, cards.todoOf);
  const lift = useLift(changes);
  const { selected } = cards;
  const chosen = () => {
    const marked = cards.cardsOf(selected);
    const shown = marked.length > 0 ? marked : cards.cardsOf(new Set([activeKey ?? '']));
    return [...new Map(shown.map(({ todo }) => [todo.id, todo])).values()];
  };
  const { commands, dialogs, decide } = useTodoCommands(chosen, changes);
  useOnPage('board', commands);
  const press = ({ todo, from }: PlacedCard, event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.getModifierState('AltGraph')) return;
    if (isComposing(event.nativeEvent)) return;
    const key = keyOf(from, todo.id);
    // Caps Lock does not matter.
    const pressed = event.shiftKey ? '' : latinKey(event).toLowerCase();
    const next = stepFrom(cards.keys(), key, event.key);
    if (next !== undefined) {
      setActiveKey(next);
      focus(next);
    } else if (event.key === ' ') peek(todo.id);
    else if (pressed === 'x' && !event.repeat) cards.toggle(key);
    else if (event.key === 'Escape' && selected.size > 0) {
      cards.clear();
      // It would close the todo beside the board too.
      event.stopPropagation();
    } else if (pressed === 'm' && !event.repeat) event.currentTarget.parentElement?.querySelector('button')?.click();
    else if (event.key === 'Enter') void navigate(`/todos/${todo.id}`);
    else return;
    event.preventDefault();
  };
  const columnOf = (id: string) => columns.find((column) => column.id === id);
  const actions: CardActions = {
    dueOf,
    press,
    countWith: (card) => cards.with(card).length,
    toggle: ({ todo, from }) => cards.toggle(keyOf(from, todo.id)),
    focused: ({ todo, from }) => {
      setActiveKey(keyOf(from, todo.id));
      held.current = { todoId: todo.id, columnId: from };
    },
    decide: ({ todo, from }) => {
      focus(keyOf(from, todo.id));
      decide(todo);
    },
    targetsOf: (card) =>
      columns.filter(({ id, isOpen }) => isOpen && !cards.with(card).every(({ todo }) => isIn(field, todo, id))),
    move: (card, target) => {
      const to = columnOf(target);
      if (!to) return;
      move(cards.with(card), to, () => {
        cards.clear();
        setActiveKey(keyOf(target, card.todo.id));
        follow(target, card.todo.id);
      });
    },
    drop: (target) => {
      const to = columnOf(target);
      if (to) move(dragged, to, cards.clear);
    },
    drag: (card) => {
      const held = card ? cards.with(card) : [];
      setDragged(held);
      if (card) lift(held.map(({ todo }) => todo));
    },
  };
  const takes = (id: string) =>
    dragged.length > 0 && columnOf(id)?.isOpen === true && !dragged.every(({ todo }) => isIn(field, todo, id));
  const onBoard: OnBoard = { actions, activeKey, selected, dragged, takes, report: cards.report };
  return (
    <>
      <p role="status" className="muted small board-hint">
        {selected.size > 0
          ? `${selected.size.toLocaleString('en')} selected: M or a pointer moves them, Escape ends the selection.`
          : 'Arrow keys move between cards. X selects a card, M moves it to another column, and ? lists the other keys.'}
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only notes where the focus is. */}
      <div
        ref={board}
        className="board"
        onBlur={() => {
          held.current = null;
        }}
      >
        {columns.map((column) => children(column, onBoard))}
      </div>
      {dialogs}
      {dialog}
    </>
  );
}
