import type { ReactNode } from 'react';
import type { Todo } from '../todo-common/queries.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { Ago } from '../ui/time.tsx';

type ScheduleError = NonNullable<Todo['scheduleError']>;

interface ErrorCalloutProps {
  error: ScheduleError;
  /** The chat of the latest run; null where there is none. */
  chatId: string | null;
  /** Leads to the choice of assignees. */
  assign: () => void;
  /** Opens the editor. */
  edit: () => void;
}

/** What a person can do about the error; null where only time helps. */
function remedyOf({ error: { code }, chatId, assign, edit }: ErrorCalloutProps): ReactNode {
  if (code === 'agent_archived') return <Button onPress={assign}>Choose another assignee</Button>;
  if (code === 'no_assignee') return <Button onPress={assign}>Assign somebody</Button>;
  if (code === 'internal_error') return <Button onPress={edit}>Set the schedule again</Button>;
  if (code === 'insufficient_minutes') return <p>Ask the operator of the service for more agent minutes.</p>;
  return chatId === null ? null : <ButtonLink to={`/chats/${chatId}`}>Open the chat of the agent</ButtonLink>;
}

/** Why the schedule could not start the work at its last time, and what to do about it. */
export function ErrorCallout(props: ErrorCalloutProps) {
  const { message, occurredAt, consecutiveFailures, willRetry } = props.error;
  return (
    <div className="callout danger">
      <Icon name="warning" />
      <div>
        <p className="callout-title">{message}</p>
        <p>
          {consecutiveFailures > 1 && `${consecutiveFailures} times in a row, the last time `}
          <Ago at={occurredAt} />.{' '}
          {willRetry ? 'The schedule tries again at its next time.' : 'The schedule does not try again by itself.'}
        </p>
        {remedyOf(props)}
      </div>
    </div>
  );
}
