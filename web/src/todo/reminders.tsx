import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import type { Todo } from '../outbox/merge.ts';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Pending } from '../ui/card.tsx';
import { useNotice } from '../ui/notice.tsx';
import { type Reminder, remindersQuery } from './queries.ts';

const days = [
  [0, 'On the day'],
  [1, 'The day before'],
  [2, '2 days before'],
  [3, '3 days before'],
  [7, 'A week before'],
  [14, '2 weeks before'],
] as const;

function wordsOf({ daysBefore, time }: Pick<Reminder, 'daysBefore' | 'time'>): string {
  const known = days.find(([count]) => count === daysBefore);
  return `${known?.[1] ?? `${daysBefore} days before`} at ${time}`;
}

/** When the person is reminded of the due date: what there is, and one more. Without a due date only what there is. */
export function Reminders({ todo: { id: todoId, dueDate, status, isArchived } }: { todo: Todo }) {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const notify = useNotice();
  const id = useId();
  const { data: reminders = [], isLoading } = useQuery(remindersQuery(workspace.id, todoId));
  const [daysBefore, setDaysBefore] = useState(0);
  const [time, setTime] = useState('09:00');
  const changing = useMutation({
    mutationFn: (change: () => Promise<unknown>) => change(),
    onSuccess: () => readAgain(queryClient, 'todos'),
    onError: (error) => notify(problemOf(error).message),
  });
  const isOpen = dueDate !== null && status !== 'done' && !isArchived;
  if (isLoading) return <Pending what="your reminders" isPaused={false} />;
  if (!isOpen && reminders.length === 0) return null;
  const add = () => {
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    changing.mutate(() => api.todos.createReminder.mutate({ todoId, daysBefore, time, timezone }));
  };
  return (
    <fieldset className="reminders">
      <legend>Reminders for you</legend>
      {reminders.length > 0 && (
        <ul>
          {reminders.map((reminder) => (
            <li key={reminder.id}>
              <span>
                {wordsOf(reminder)}
                {reminder.remindAt === null && <span className="muted"> (not coming)</span>}
              </span>
              <Button
                kind="quiet"
                aria-label={`Delete the reminder: ${wordsOf(reminder)}`}
                isBusy={changing.isPending}
                onPress={() =>
                  changing.mutate(() => api.todos.deleteReminder.mutate({ todoId, reminderId: reminder.id }))
                }
              >
                Delete
              </Button>
            </li>
          ))}
        </ul>
      )}
      {isOpen && (
        <div className="reminder-new">
          <label htmlFor={`${id}-days`} className="visually-hidden">
            Day of the reminder
          </label>
          <select
            id={`${id}-days`}
            className="input"
            value={daysBefore}
            onChange={(event) => setDaysBefore(Number(event.target.value))}
          >
            {days.map(([count, label]) => (
              <option key={count} value={count}>
                {label}
              </option>
            ))}
          </select>
          <label htmlFor={`${id}-time`} className="visually-hidden">
            Time of the reminder
          </label>
          <input
            id={`${id}-time`}
            type="time"
            className="input"
            value={time}
            onChange={(event) => setTime(event.target.value)}
          />
          <Button isBusy={changing.isPending} onPress={add}>
            {changing.isPending ? 'Saving…' : 'Remind me'}
          </Button>
        </div>
      )}
    </fieldset>
  );
}
