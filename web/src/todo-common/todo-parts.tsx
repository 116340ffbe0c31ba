import { Badge } from '../ui/rows.tsx';
import type { Todo } from './queries.ts';

const urgent = ['urgent', 'high'];
const named = { urgent: 'Urgent', high: 'High priority', medium: 'Medium priority', low: 'Low priority' };

/** What a todo is called: its title, or the first line of its text. */
export function nameOf({ title, content }: Pick<Todo, 'title' | 'content'>): string {
  return title ?? content?.split('\n')[0] ?? 'Untitled';
}

/** Status and priority of a todo that is not done. */
export function TodoBadges({ todo: { status, priority } }: { todo: Todo }) {
  return (
    <>
      {status === 'in_progress' && <Badge tone="good">In progress</Badge>}
      {priority !== null && <Badge tone={urgent.includes(priority) ? 'warn' : 'plain'}>{named[priority]}</Badge>}
    </>
  );
}

/** What the latest run of an agent on a todo comes to, while it lasts. */
export function workOf({ latestRun: run }: Pick<Todo, 'latestRun'>): { text: string; tone: 'live' | 'warn' } | null {
  if (run?.status !== 'running') return null;
  if (run.statusReason === 'awaiting_input') return { text: 'Waiting for you', tone: 'warn' };
  return { text: run.statusReason === 'queued' ? 'Waiting to start' : 'Agent at work', tone: 'live' };
}

/** Whether the agent at work on a todo waits for the decision of a person. */
export function waitsForPerson(todo: Pick<Todo, 'latestRun'>): boolean {
  return workOf(todo)?.tone === 'warn';
}

interface WorkChipProps {
  todo: Todo;
  /** Opens what the agent asks for. */
  onDecide: () => void;
  tabIndex?: number;
}

/** What the latest run of an agent comes to, while it lasts. Where it waits for a person, it opens what it asks for. */
export function WorkChip({ todo, onDecide, tabIndex = -1 }: WorkChipProps) {
  const work = workOf(todo);
  if (work?.tone !== 'warn') return work && <span className="todo-work live">{work.text}</span>;
  return (
    <button
      type="button"
      className="token priority"
      tabIndex={tabIndex}
      title={work.text}
      aria-haspopup="dialog"
      aria-label={`Approve…: ${nameOf(todo)}`}
      onClick={onDecide}
    >
      Approve…
    </button>
  );
}

/** The first of those to whom a todo is assigned, by the first character of the name; agents are square. */
export function Assigned({ to }: { to: Todo['assignees'] }) {
  const [first] = to;
  if (!first) return null;
  return (
    <span className={`todo-who ${first.type}`} title={to.map(({ name }) => name).join(', ')}>
      {[...first.name.trim()][0]?.toUpperCase() ?? '?'}
      {to.length > 1 && `+${to.length - 1}`}
    </span>
  );
}
