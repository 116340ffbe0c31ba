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
