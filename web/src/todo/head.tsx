import type { Todo } from '../outbox/merge.ts';
import { nameOf, TodoBadges } from '../todo-common/todo-parts.tsx';
import { Button } from '../ui/button.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Badge } from '../ui/rows.tsx';
import { Ago, DueDay } from '../ui/time.tsx';
import type { Save } from './opened.ts';

/** What an agent saved, as estimated when the todo became done. */
function MinutesSaved({ todo }: { todo: Todo }) {
  const { minutesSaved, minutesSavedReason: reason, minutesSavedConfidence: confidence } = todo;
  if (minutesSaved === null) return null;
  return (
    <span>
      {minutesSaved.toLocaleString('en')} min saved
      {confidence !== null && `, with ${confidence} confidence`}
      {reason !== null && `: ${reason}`}
    </span>
  );
}

/** The facts of a todo below its name. */
export function Facts({ todo }: { todo: Todo }) {
  const { status, isArchived, isSuggested, dueDate, nextRunAt, createdAt, updatedAt, assignees } = todo;
  return (
    <span className="todo-facts">
      {status === 'done' ? <Badge tone="good">Done</Badge> : <TodoBadges todo={todo} />}
      {isArchived && <Badge>Archived</Badge>}
      {isSuggested && <Badge>Suggested</Badge>}
      <span>
        Created <Ago at={createdAt} />
      </span>
      {updatedAt !== createdAt && (
        <span>
          Changed <Ago at={updatedAt} />
        </span>
      )}
      {dueDate !== null && (
        <span>
          Due <DueDay on={dueDate} />
        </span>
      )}
      {nextRunAt !== null && (
        <span>
          Next time <Ago at={nextRunAt} />
        </span>
      )}
      {assignees.length > 0 && <span>Assigned to {assignees.map(({ name }) => name).join(', ')}</span>}
      <MinutesSaved todo={todo} />
    </span>
  );
}

/** The button that marks a todo as done or opens it again. */
export function SetStatus({ todo, save }: { todo: Todo; save: Save }) {
  const isDone = todo.status === 'done';
  const notify = useNotice();
  const change = async () => {
    const isSaved = await save({ status: isDone ? 'ready' : 'done' });
    if (isSaved) notify(`“${nameOf(todo)}” is ${isDone ? 'open again' : 'done'}.`);
  };
  return (
    <Button kind={isDone ? 'secondary' : 'primary'} onPress={() => void change()}>
      {isDone ? 'Reopen' : 'Mark as done'}
    </Button>
  );
}
