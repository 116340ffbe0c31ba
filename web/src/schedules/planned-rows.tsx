import { Link } from 'react-router';
import { timeOf, wallTimeAt } from '../quick-add/zoned.ts';
import type { Todo } from '../todo-common/queries.ts';
import { nameOf } from '../todo-common/todo-parts.tsx';
import { Card } from '../ui/card.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import type { AgendaDay, Planned } from './agenda.ts';
import { OccurrenceButtons, PauseButton } from './schedule-actions.tsx';

/** The name of a todo, which leads to its page. */
export function TodoLink({ todo }: { todo: Todo }) {
  return <Link to={`/todos/${todo.id}`}>{nameOf(todo)}</Link>;
}

/** Who does a todo at its time: its first agent that is not archived, and the people who are notified. */
export function workersOf({ assignees }: Todo): string {
  const agent = assignees.find(({ type, isArchived }) => type === 'agent' && !isArchived);
  const people = assignees.filter(({ type, isArchived }) => type === 'user' && !isArchived).map(({ name }) => name);
  const parts = [
    ...(agent ? [`${agent.name} runs it`] : []),
    ...(people.length > 0 ? [`${people.join(', ')} ${people.length === 1 ? 'is' : 'are'} notified`] : []),
  ];
  return parts.length === 0 ? 'Nobody is assigned' : parts.join(', ');
}

const dayFormat = new Intl.DateTimeFormat('en', { weekday: 'long', month: 'long', day: 'numeric', timeZone: 'UTC' });

/** A day, such as `2026-03-01`, in words: “Sunday, March 1”. */
export function dayInWords(day: string): string {
  return dayFormat.format(new Date(`${day}T00:00:00Z`));
}

interface DayProps {
  day: AgendaDay;
  /** That its times are shown in. */
  timeZone: string;
}

/** What is planned on a day. */
export function Day({ day: { day, planned }, timeZone }: DayProps) {
  const name = dayInWords(day);
  return (
    <Card title={name}>
      <Rows label={name}>
        {planned.map((each) => (
          <PlannedRow key={`${each.todo.id} ${each.at}`} planned={each} timeZone={timeZone} />
        ))}
      </Rows>
    </Card>
  );
}

/** The time of day of an instant, such as `09:00`. */
export function clock(at: string, timeZone: string): string {
  return timeOf(wallTimeAt(Date.parse(at), timeZone));
}

function PlannedRow({ planned: { todo, at, isNext, hasMore }, timeZone }: { planned: Planned; timeZone: string }) {
  const zone = todo.timezone ?? timeZone;
  const [here, there] = [clock(at, timeZone), clock(at, zone)];
  return (
    <Row
      icon={
        <time className="agenda-time" dateTime={at}>
          {here}
        </time>
      }
      title={<TodoLink todo={todo} />}
      facts={[
        workersOf(todo),
        ...(here === there ? [] : [`${there} in ${zone.replaceAll('_', ' ')}`]),
        ...(todo.scheduleStatus === 'queued' && isNext ? ['Its last run waits for the hours of its agent'] : []),
        ...(hasMore ? ['Further times follow'] : []),
      ]}
      actions={
        isNext && (
          <>
            {todo.scheduleType === 'recurring' && <OccurrenceButtons todo={todo} at={at} />}
            <PauseButton todo={todo} isPaused={false} />
          </>
        )
      }
    />
  );
}
