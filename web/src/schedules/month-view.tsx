import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useId, useMemo } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../api/client.ts';
import { pollUnlessLive } from '../api/live-state.ts';
import { useIdentity } from '../session/session.ts';
import type { Todo } from '../todo-common/queries.ts';
import { Button } from '../ui/button.tsx';
import { Card, Empty, Failed, NextPageFailed } from '../ui/card.tsx';
import { useClock } from '../ui/clock.ts';
import { Icon } from '../ui/icons.tsx';
import { useReadOn } from '../ui/read-on.ts';
import { dayAfter, dayAt } from '../usage/period.ts';
import { beginOf, byDay, dayIn, inMonth, weeksOf } from './month.ts';
import { MonthGrid } from './month-grid.tsx';
import { Day, dayInWords } from './planned-rows.tsx';

/** What is planned between two instants; read again with the todos. */
const plannedQuery = (workspaceId: string, from: string, to: string) =>
  infiniteQueryOptions({
    queryKey: ['todos', workspaceId, 'planned', from, to],
    queryFn: ({ pageParam, signal }) =>
      api.todos.listPlannedTimes.query({ from, to, limit: 100, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: (query) => pollUnlessLive(query, 10_000),
  });

const monthName = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

interface MonthViewProps {
  /** The todos with a schedule. */
  todos: readonly Todo[];
  /** The query of the address, with the chosen day. */
  search: string;
}

/** What is planned in a month, and on the chosen day. Days are those of the workspace. */
export function MonthView({ todos, search }: MonthViewProps) {
  const { workspace } = useIdentity();
  const { id: workspaceId, timezone } = workspace;
  const navigate = useNavigate();
  const today = useClock(() => dayAt(Date.now(), timezone));
  const day = dayIn(search, today);
  const days = weeksOf(day).flat();
  const [first = day, last = day] = [days[0], days.at(-1)];
  const range = [beginOf(first, timezone), beginOf(dayAfter(last, 1), timezone)] as const;
  const planned = useInfiniteQuery(plannedQuery(workspaceId, ...range));
  const { data, error, hasNextPage, refetch } = planned;
  // A day without a part of its todos would look free.
  useReadOn(planned);
  const isRead = data !== undefined && !hasNextPage;
  const all = useMemo(
    () => byDay(data?.pages.flatMap((page) => page.data) ?? [], todos, timezone),
    [data, todos, timezone],
  );
  const choose = (chosen: string) =>
    void navigate(`/schedules?view=month&day=${chosen}`, { replace: true, state: { isFilter: true } });
  const heading = useId();
  const isFirst = day.slice(0, 7) === today.slice(0, 7);
  const name = monthName.format(new Date(`${day}T00:00:00Z`));
  return (
    <>
      <section className="card">
        <div className="card-head">
          <h2 id={heading} aria-live="polite">
            {name}
          </h2>
          <div className="form-actions">
            <Button aria-label="The month before" isDisabled={isFirst} onPress={() => choose(inMonth(day, -1))}>
              <Icon name="back" />
            </Button>
            <Button isDisabled={day === today} onPress={() => choose(today)}>
              Today
            </Button>
            <Button aria-label="The month after" onPress={() => choose(inMonth(day, 1))}>
              <span className="forward">
                <Icon name="back" />
              </span>
            </Button>
          </div>
        </div>
        {error && !data && <Failed error={error} retry={() => void refetch()} />}
        <NextPageFailed query={planned} />
        <MonthGrid
          day={day}
          today={today}
          timeZone={timezone}
          planned={all}
          isRead={isRead}
          labelledBy={heading}
          onChoose={choose}
        />
      </section>
      {isRead && <ChosenDay day={day} timeZone={timezone} of={all.get(day)} />}
    </>
  );
}

interface ChosenDayProps {
  day: string;
  timeZone: string;
  of: ReturnType<ReturnType<typeof byDay>['get']>;
}

function ChosenDay({ day, timeZone, of }: ChosenDayProps) {
  if (of) return <Day day={of} timeZone={timeZone} />;
  return (
    <Card title={dayInWords(day)}>
      <Empty title="Nothing is planned on this day">
        Past times, and what became of them, are on the pages of their todos.
      </Empty>
    </Card>
  );
}
