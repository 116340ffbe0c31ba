import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { Link, useLocation } from 'react-router';
import { api } from '../api/client.ts';
import { pollUnlessLive } from '../api/live-state.ts';
import { useIdentity } from '../session/session.ts';
import type { Todo } from '../todo-common/queries.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Card, Empty, Loaded, NextPageFailed } from '../ui/card.tsx';
import { useNow } from '../ui/clock.ts';
import { ownTimeZone } from '../ui/own-time-zone.ts';
import { Page } from '../ui/page.tsx';
import { useReadOn } from '../ui/read-on.ts';
import { Badge, Row, Rows } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';
import { type Agenda, agendaDays, agendaOf, remedyOf } from './agenda.ts';
import { MonthView } from './month-view.tsx';
import { Day, TodoLink, workersOf } from './planned-rows.tsx';
import { PauseButton } from './schedule-actions.tsx';

const pageSize = 500;

/** The open todos with a schedule that is active, failed or paused. */
const scheduledQuery = (workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: ['todos', workspaceId, 'scheduled'],
    queryFn: ({ pageParam, signal }) =>
      api.todos.list.query(
        {
          status: 'active',
          scheduleStatus: ['pending', 'queued', 'error', 'disabled'],
          limit: pageSize,
          ...(pageParam && { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: (query) => pollUnlessLive(query, 10_000),
  });

/** Page `/schedules`: what is planned in the next days, and which schedules need somebody. */
export function SchedulesPage() {
  const { workspace } = useIdentity();
  const scheduled = useInfiniteQuery(scheduledQuery(workspace.id));
  // An agenda of a part of the todos would leave out what is due next.
  useReadOn(scheduled);
  const now = useNow();
  const todos = scheduled.data?.pages.flatMap(({ data }) => data) ?? [];
  const { search } = useLocation();
  const isMonth = new URLSearchParams(search).get('view') === 'month';
  const zone = (isMonth ? workspace.timezone : ownTimeZone).replaceAll('_', ' ');
  return (
    <Page
      title="Schedules"
      intro={`${isMonth ? 'What is planned, by month' : `What is planned in the next ${agendaDays} days`}. Times are those of ${zone}.`}
      actions={<Views isMonth={isMonth} />}
    >
      <Loaded query={scheduled} what="the schedules">
        {() =>
          isMonth ? (
            <MonthView todos={todos} search={search} />
          ) : (
            <Agendas agenda={agendaOf(todos, now, ownTimeZone)} isEmpty={todos.length === 0} />
          )
        }
      </Loaded>
      <NextPageFailed query={scheduled} />
    </Page>
  );
}

const views = [
  { name: 'Agenda', to: '/schedules', isMonth: false },
  { name: 'Month', to: '/schedules?view=month', isMonth: true },
];

function Views({ isMonth }: { isMonth: boolean }) {
  return (
    <nav aria-label="View" className="tabs">
      {views.map(({ name, to, isMonth: isOf }) => (
        <Link
          key={name}
          to={to}
          state={{ isFilter: true }}
          className="tab"
          aria-current={isOf === isMonth ? 'page' : undefined}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}

function Agendas({
  agenda: { failed, paused, days, knownUntil, later },
  isEmpty,
}: {
  agenda: Agenda;
  isEmpty: boolean;
}) {
  if (isEmpty) {
    return (
      <section className="card">
        <Empty title="Nothing is scheduled">
          A todo with a schedule is due again and again, such as “Weekly digest every friday 16:00 @Assistant”.
        </Empty>
        <div>
          <ButtonLink to="/todos#new" kind="primary">
            New todo
          </ButtonLink>
        </div>
      </section>
    );
  }
  return (
    <>
      {failed.length > 0 && (
        <Card title="Needs somebody" intro="The last time of these schedules failed.">
          <Rows label="Failed schedules">
            {failed.map((todo) => (
              <FailedRow key={todo.id} todo={todo} />
            ))}
          </Rows>
        </Card>
      )}
      {days.map((day) => (
        <Fragment key={day.day}>
          <Day day={day} timeZone={ownTimeZone} />
          {day.day === knownUntil && (
            <p className="muted">
              From here on more is planned than is shown: of each schedule the next five times are known.
            </p>
          )}
        </Fragment>
      ))}
      {days.length === 0 && (
        <section className="card">
          <Empty title={`Nothing is planned in the next ${agendaDays} days`} />
        </section>
      )}
      {later.length > 0 && (
        <Card title="Later">
          <Rows label="Later">
            {later.map((todo) => (
              <Row
                key={todo.id}
                title={<TodoLink todo={todo} />}
                facts={[todo.nextRunAt && <Ago key="at" at={todo.nextRunAt} />, workersOf(todo)]}
                actions={<PauseButton todo={todo} isPaused={false} />}
              />
            ))}
          </Rows>
        </Card>
      )}
      {paused.length > 0 && (
        <Card title="Paused" intro="Nothing happens until they are resumed.">
          <Rows label="Paused schedules">
            {paused.map((todo) => (
              <Row
                key={todo.id}
                title={<TodoLink todo={todo} />}
                facts={[workersOf(todo)]}
                actions={<PauseButton todo={todo} isPaused />}
              />
            ))}
          </Rows>
        </Card>
      )}
    </>
  );
}

function FailedRow({ todo }: { todo: Todo }) {
  const { scheduleError, scheduleStatus } = todo;
  const remedy = remedyOf(todo);
  const isStopped = scheduleStatus === 'disabled';
  if (scheduleError === null) return null;
  return (
    <Row
      title={<TodoLink todo={todo} />}
      badges={<Badge tone="bad">{isStopped ? 'Stopped' : 'Failed'}</Badge>}
      detail={
        <p>
          {scheduleError.message} <Link to={remedy.to}>{remedy.text}</Link>
        </p>
      }
      facts={[
        <Ago key="at" at={scheduleError.occurredAt} />,
        ...(scheduleError.consecutiveFailures > 1 ? [`${scheduleError.consecutiveFailures} times in a row`] : []),
        todo.nextRunAt === null ? 'It does not continue by itself' : <NextTime key="next" at={todo.nextRunAt} />,
      ]}
      actions={(isStopped || todo.nextRunAt !== null) && <PauseButton todo={todo} isPaused={isStopped} />}
    />
  );
}

function NextTime({ at }: { at: string }) {
  return (
    <>
      Next time <Ago at={at} />
    </>
  );
}
