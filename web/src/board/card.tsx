import type { CSSProperties, KeyboardEvent } from 'react';
import { Link } from 'react-router';
import { LabelChips, labelsInWords } from '../labels/label-chips.tsx';
import type { Todo } from '../todo-common/queries.ts';
import { Assigned, nameOf, WorkChip, workOf } from '../todo-common/todo-parts.tsx';
import { Icon } from '../ui/icons.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import type { BoardColumn, PlacedCard } from './moves.ts';
import { keyOf } from './steps.ts';

/** A due date in words, and whether it is past. */
export type DueOf = (todo: Todo) => { text: string; isOver: boolean } | null;

/** What the cards of a board do. With a selected card go the other selected ones. */
export interface CardActions {
  dueOf: DueOf;
  press: (card: PlacedCard, event: KeyboardEvent<HTMLElement>) => void;
  /** Selects a card, or ends that. */
  toggle: (card: PlacedCard) => void;
  focused: (card: PlacedCard) => void;
  /** Opens what the agent at work on it asks for. */
  decide: (card: PlacedCard) => void;
  /** How many cards move with this one, itself included. */
  countWith: (card: PlacedCard) => number;
  /** The columns to which it can be moved. */
  targetsOf: (card: PlacedCard) => readonly BoardColumn[];
  /** Moves a card and takes the focus along. */
  move: (card: PlacedCard, columnId: string) => void;
  /** Moves the cards that a pointer holds, and leaves the focus where it is. */
  drop: (columnId: string) => void;
  /** A pointer takes the card along; undefined: it lets go of it. */
  drag: (card: PlacedCard | undefined) => void;
}

interface CardProps {
  todo: Todo;
  /** The id of its column. */
  columnId: string;
  isSelected: boolean;
  actions: CardActions;
  /** Its place in the column, from 1, and how many the column has; -1 where that is not known. */
  place: number;
  size: number;
  style: CSSProperties;
  isTabStop: boolean;
}

/** A todo on a board. */
export function Card({ todo, columnId, isSelected, actions, place, size, style, isTabStop }: CardProps) {
  const { id, priority, assignees, labels } = todo;
  const card = { todo, from: columnId };
  const name = nameOf(todo);
  const due = actions.dueOf(todo);
  const work = workOf(todo);
  const facts = [
    priority && `${priority} priority`,
    due && `due ${due.text}`,
    labelsInWords(labels),
    work?.text,
    ...assignees.map((each) => each.name),
    isSelected && 'selected',
  ];
  const count = actions.countWith(card);
  return (
    <li
      className={isSelected ? 'board-card selected' : 'board-card'}
      style={style}
      aria-posinset={place}
      aria-setsize={size}
      draggable
      onDragStart={({ dataTransfer }) => {
        dataTransfer.setData('text/plain', name);
        dataTransfer.effectAllowed = 'move';
        actions.drag(card);
      }}
      onDragEnd={() => actions.drag(undefined)}
    >
      <Link
        to={`/todos/${id}`}
        className="board-name"
        data-id={id}
        data-card={keyOf(columnId, id)}
        aria-label={[name, ...facts.filter(Boolean)].join(', ')}
        tabIndex={isTabStop ? 0 : -1}
        draggable={false}
        onClick={(event) => {
          if (!event.shiftKey && !event.ctrlKey && !event.metaKey) return;
          event.preventDefault();
          actions.toggle(card);
        }}
        onFocus={() => actions.focused(card)}
        onKeyDown={(event) => actions.press(card, event)}
      >
        {name}
      </Link>
      <MenuButton
        label={`Move “${name}” to…`}
        className="side-icon"
        heading={count > 1 ? `Move ${count.toLocaleString('en')} todos to` : 'Move to'}
        entries={actions.targetsOf(card).map((target) => ({ id: target.id, label: target.name }))}
        onChoose={(target) => actions.move(card, target)}
        tabIndex={isTabStop ? 0 : -1}
      >
        <Icon name="more" />
      </MenuButton>
      <span className="board-facts">
        {priority && <i className={`priority ${priority}`} title={`${priority} priority`} />}
        <LabelChips labels={labels} most={2} />
        <WorkChip todo={todo} onDecide={() => actions.decide(card)} tabIndex={isTabStop ? 0 : -1} />
        {due && <span className={due.isOver ? 'todo-due over' : 'todo-due'}>{due.text}</span>}
        <Assigned to={assignees} />
      </span>
    </li>
  );
}
