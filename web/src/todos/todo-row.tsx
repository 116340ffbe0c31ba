// biome-ignore-all lint/a11y/useSemanticElements: a table cannot leave out the rows that are not visible.
// biome-ignore-all lint/a11y/useFocusableInteractive: in this grid rows have the focus, not cells (ARIA APG, treegrid).
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the keys of rows are commands (shell/commands.ts).
import type { CSSProperties, MouseEvent } from 'react';
import { Link } from 'react-router';
import type { Todo } from '../work/queries.ts';
import { nameOf } from '../work/todo-parts.tsx';
import { dueInWords } from './due.ts';
import type { HeldRow } from './held-rows.ts';

const statusNames = { ready: 'to do', in_progress: 'in progress', done: 'done' };
const checked = { ready: 'false', in_progress: 'mixed', done: 'true' } as const;

/** What the latest run of an agent comes to, while it lasts. */
function workOf({ latestRun: run }: Todo): { text: string; tone: 'live' | 'warn' } | null {
  if (run?.status !== 'running') return null;
  if (run.statusReason === 'awaiting_input') return { text: 'Waiting for you', tone: 'warn' };
  return { text: run.statusReason === 'queued' ? 'Waiting to start' : 'Agent at work', tone: 'live' };
}

interface TodoRowProps {
  row: HeldRow;
  /** The name of its list, where the page has todos of several. */
  list: string | undefined;
  today: string;
  /** Its place in the grid, from 1. */
  place: number;
  style: CSSProperties;
  isActive: boolean;
  isSelected: boolean;
  onToggle: () => void;
  onPress: (event: MouseEvent) => void;
}

/** A todo in the grid. Its few elements count: thousands of rows may pass by. */
export function TodoRow({ row, list, today, place, style, isActive, isSelected, onToggle, onPress }: TodoRowProps) {
  const { todo, isGone } = row;
  const { id, status, priority, dueDate, assignees, isSuggested, nextRunAt } = todo;
  const name = nameOf(todo);
  const due = dueDate === null ? null : dueInWords(dueDate, today);
  const isOver = dueDate !== null && dueDate < today && status !== 'done';
  const work = workOf(todo);
  const [first] = assignees;
  const names = assignees.map((assignee) => assignee.name);
  const isScheduled = nextRunAt !== null;
  const facts = [
    priority && `${priority} priority`,
    due && `due ${due}`,
    list,
    isScheduled && 'scheduled',
    isSuggested && 'suggested',
    work?.text,
    ...names,
    statusNames[status],
    isGone && 'no longer in this list',
  ];
  return (
    <div
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
        {isScheduled && (
          <span className="todo-chip" title="Scheduled">
            ↻
          </span>
        )}
        {isSuggested && <span className="todo-chip dashed">Suggested</span>}
        {work && <span className={`todo-work ${work.tone}`}>{work.text}</span>}
      </span>
      <span role="gridcell" className="todo-facts-cell">
        {list !== undefined && <span className="todo-chip list-chip">{list}</span>}
        {due && <span className={isOver ? 'todo-due over' : 'todo-due'}>{due}</span>}
        {first && (
          <span className={`todo-who ${first.type}`} title={names.join(', ')}>
            {[...first.name.trim()][0]?.toUpperCase() ?? '?'}
            {assignees.length > 1 && `+${assignees.length - 1}`}
          </span>
        )}
      </span>
    </div>
  );
}
