import type { CSSProperties, KeyboardEvent } from 'react';
import { Link } from 'react-router';
import { LabelChips, labelsInWords } from '../labels/label-chips.tsx';
import { Icon } from '../ui/icons.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import type { Todo } from '../work/queries.ts';
import { Assigned, nameOf, workOf } from '../work/todo-parts.tsx';
import { columnNames, type Status } from './steps.ts';

/** A due date in words, and whether it is past. */
export type DueOf = (todo: Todo) => { text: string; isOver: boolean } | null;

/** What the cards of a board do. */
export interface CardActions {
  dueOf: DueOf;
  press: (todo: Todo, event: KeyboardEvent<HTMLElement>) => void;
  focused: (todo: Todo) => void;
  /** Moves a todo and takes the focus along; `drop` leaves the focus where it is. */
  move: (todo: Todo, status: Status) => void;
  drop: (todo: Todo, status: Status) => void;
  /** A pointer takes the card along; undefined: it lets go of it. */
  drag: (todo: Todo | undefined) => void;
}

interface CardProps {
  todo: Todo;
  actions: CardActions;
  /** Its place in the column, from 1, and how many the column has; -1 where that is not known. */
  place: number;
  size: number;
  style: CSSProperties;
  isTabStop: boolean;
}

/** A todo on a board. */
export function Card({ todo, actions, place, size, style, isTabStop }: CardProps) {
  const { id, priority, status, assignees, labels } = todo;
  const name = nameOf(todo);
  const due = actions.dueOf(todo);
  const work = workOf(todo);
  const facts = [
    priority && `${priority} priority`,
    due && `due ${due.text}`,
    labelsInWords(labels),
    work?.text,
    ...assignees.map((each) => each.name),
  ];
  const targets = (Object.keys(columnNames) as Status[]).filter((each) => each !== status);
  return (
    <li
      className="board-card"
      style={style}
      aria-posinset={place}
      aria-setsize={size}
      draggable
      onDragStart={({ dataTransfer }) => {
        dataTransfer.setData('text/plain', name);
        dataTransfer.effectAllowed = 'move';
        actions.drag(todo);
      }}
      onDragEnd={() => actions.drag(undefined)}
    >
      <Link
        to={`/todos/${id}`}
        className="board-name"
        data-id={id}
        aria-label={[name, ...facts.filter(Boolean)].join(', ')}
        tabIndex={isTabStop ? 0 : -1}
        draggable={false}
        onFocus={() => actions.focused(todo)}
        onKeyDown={(event) => actions.press(todo, event)}
      >
        {name}
      </Link>
      <MenuButton
        label={`Move “${name}” to…`}
        className="side-icon"
        heading="Move to"
        entries={targets.map((each) => ({ id: each, label: columnNames[each] }))}
        onChoose={(target) => actions.move(todo, target as Status)}
        tabIndex={isTabStop ? 0 : -1}
      >
        <Icon name="more" />
      </MenuButton>
      <span className="board-facts">
        {priority && <i className={`priority ${priority}`} title={`${priority} priority`} />}
        <LabelChips labels={labels} most={2} />
        {work && <span className={`todo-work ${work.tone}`}>{work.text}</span>}
        {due && <span className={due.isOver ? 'todo-due over' : 'todo-due'}>{due.text}</span>}
        <Assigned to={assignees} />
      </span>
    </li>
  );
}
