// biome-ignore-all lint/a11y/useSemanticElements: a table cannot leave out the rows that are not visible.
// biome-ignore-all lint/a11y/useFocusableInteractive: in this grid rows have the focus, not cells (ARIA APG, treegrid).
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the keys of rows are commands (shell/commands.ts).
import type { CSSProperties, MouseEvent } from 'react';
import { Link } from 'react-router';
import { LabelChips, labelsInWords } from '../labels/label-chips.tsx';
import { dueInWords } from '../todo-common/days.ts';
import { Assigned, nameOf, WorkChip, workOf } from '../todo-common/todo-parts.tsx';
import type { HeldRow } from './held-rows.ts';
import type { RowDrag } from './use-row-drag.ts';

const statusNames = { ready: 'to do', in_progress: 'in progress', done: 'done' };
const checked = { ready: 'false', in_progress: 'mixed', done: 'true' } as const;

interface TodoRowProps {
  row: HeldRow;
  /** The name of its list, where the page has todos of several. */
  list: string | undefined;
  /** The name of the todo that it is a part of. */
  parent: string | undefined;
  /** In the manual order, what a pointer drags it with. */
  drag: RowDrag | undefined;
  today: string;
  /** Its place in the grid, from 1. */
  place: number;
  style: CSSProperties;
  isActive: boolean;
  isSelected: boolean;
  onToggle: () => void;
  /** Opens what its agent asks for. */
  onDecide: () => void;
  onPress: (event: MouseEvent) => void;
}

/** A todo in the grid. Its few elements count: thousands of rows may pass by. */
export function TodoRow(props: TodoRowProps) {
  const { row, list, parent, drag, today, place, style, isActive, isSelected, onToggle, onDecide, onPress } = props;
  const { todo, isGone } = row;
  const { id, status, priority, dueDate, assignees, labels, isSuggested, nextRunAt } = todo;
  const { subTodoCount, doneSubTodoCount } = todo;
  const name = nameOf(todo);
  const due = dueDate === null ? null : dueInWords(dueDate, today);
  const isOver = dueDate !== null && dueDate < today && status !== 'done';
  const work = workOf(todo);
  const isScheduled = nextRunAt !== null;
  const facts = [
    priority && `${priority} priority`,
    due && `due ${due}`,
    list,
    parent !== undefined && `part of ${parent}`,
    subTodoCount > 0 && `${doneSubTodoCount} of ${subTodoCount} sub-todos done`,
    labelsInWords(labels),
    isScheduled && 'scheduled',
    isSuggested && 'suggested',
    work?.text,
    ...assignees.map((assignee) => assignee.name),
    statusNames[status],
    isGone && 'no longer in this list',
  ];
  return (
    <div
      {...drag}
      role="row"
      className={`todo-row${isGone ? ' gone' : ''}${status === 'done' ? ' done' : ''}`}
      style={style}
      data-id={id}
      aria-rowindex={place}
      aria-selected={isSelected}
      aria-label={[name, ...facts.filter(Boolean)].join(', ')}
      tabIndex={isActive ? 0 : -1}
      onClick={onPress}
    >
      <span role="gridcell">
        <button
          type="button"
          role="checkbox"
          className="status-box"
          tabIndex={-1}
          aria-checked={checked[status]}
          aria-label={`Done: ${name}`}
          onClick={onToggle}
        />
      </span>
      <span role="gridcell" className="todo-name">
        {priority && <i className={`priority ${priority}`} title={`${priority} priority`} />}
        <Link to={`/todos/${id}`} tabIndex={-1} draggable={false}>
          {name}
        </Link>
        {parent !== undefined && <span className="todo-parent">{parent}</span>}
        {subTodoCount > 0 && (
          <span className="todo-chip" title="Sub-todos done">
            {doneSubTodoCount} of {subTodoCount}
          </span>
        )}
        {isScheduled && (
          <span className="todo-chip" title="Scheduled">
            ↻
          </span>
        )}
        {isSuggested && <span className="todo-chip dashed">Suggested</span>}
        <WorkChip todo={todo} onDecide={onDecide} />
      </span>
      <span role="gridcell" className="todo-facts-cell">
        <LabelChips labels={labels} most={2} />
        {list !== undefined && <span className="todo-chip list-chip">{list}</span>}
        {due && <span className={isOver ? 'todo-due over' : 'todo-due'}>{due}</span>}
        <Assigned to={assignees} />
      </span>
    </div>
  );
}
