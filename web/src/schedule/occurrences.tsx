import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { TandemOutputs } from 'tandem/client';
import { api, problemOf } from '../api/client.ts';
import { pollUnlessLive } from '../api/live-state.ts';
import { readAgain } from '../api/queries.ts';
import { timeLabel } from '../quick-add/labels.ts';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Loaded } from '../ui/card.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Badge } from '../ui/rows.tsx';

type Occurrence = TandemOutputs['todos']['listOccurrences']['data'][number];

/** The planned times of a todo, the latest first; read again with the todos. */
const occurrencesQuery = (workspaceId: string, todoId: string) =>
  infiniteQueryOptions({
    queryKey: ['todos', workspaceId, 'occurrences', todoId],
    queryFn: ({ pageParam, signal }) =>
      api.todos.listOccurrences.query({ todoId, limit: 10, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: (query) => pollUnlessLive(query, 5_000),
  });

const statuses: Record<Occurrence['status'], { text: string; tone: 'plain' | 'good' | 'warn' }> = {
  upcoming: { text: 'Next', tone: 'good' },
  fired: { text: 'Started', tone: 'plain' },
  done: { text: 'Done', tone: 'good' },
  skipped: { text: 'Skipped', tone: 'plain' },
  missed: { text: 'Missed', tone: 'warn' },
};

interface OccurrencesProps {
  todoId: string;
  timeZone: string;
  /** Whether times can be ticked off: not those of an archived todo. */
  isOpen: boolean;
}

/** The planned times of a schedule that came, and the next one, which can be ticked off or skipped. */
export function Occurrences({ todoId, timeZone, isOpen }: OccurrencesProps) {
  const { workspace } = useIdentity();
  const occurrences = useInfiniteQuery(occurrencesQuery(workspace.id, todoId));
  return (
    <Loaded query={occurrences} what="the planned times">
      {({ pages }) => {
        const all = pages.flatMap(({ data }) => data);
        if (all.length === 0) return null;
        return (
          <section aria-label="Planned times">
            <h3>Planned times</h3>
            <ul className="rows">
              {all.map((each) => (
                <OccurrenceRow key={each.id} occurrence={each} timeZone={timeZone} isOpen={isOpen} />
              ))}
            </ul>
            {occurrences.hasNextPage && (
              <Button isBusy={occurrences.isFetchingNextPage} onPress={() => void occurrences.fetchNextPage()}>
                Show earlier times
              </Button>
            )}
          </section>
        );
      }}
    </Loaded>
  );
}

interface OccurrenceRowProps {
  occurrence: Occurrence;
  timeZone: string;
  isOpen: boolean;
}

function OccurrenceRow({ occurrence, timeZone, isOpen }: OccurrenceRowProps) {
  const { id: occurrenceId, todoId, plannedAt, status } = occurrence;
  const queryClient = useQueryClient();
  const notify = useNotice();
  const row = useRef<HTMLLIElement>(null);
  const label = timeLabel(plannedAt, timeZone);
  const setting = useMutation({
    mutationFn: (next: 'done' | 'skipped') => api.todos.updateOccurrence.mutate({ todoId, occurrenceId, status: next }),
    onSuccess: (_, next) => notify(`${label} is ${next === 'done' ? 'done' : 'skipped'}.`),
    onError: (error) => notify(problemOf(error).message),
    onSettled: () => readAgain(queryClient, 'todos'),
  });
  const isSettled = status === 'done' || status === 'skipped';
  const wasSettled = useRef(isSettled);
  useEffect(() => {
    // The button that had the focus is gone.
    if (isSettled && !wasSettled.current && document.activeElement === document.body) row.current?.focus();
    wasSettled.current = isSettled;
  }, [isSettled]);
  const { text, tone } = statuses[status];
  return (
    <li className="row" ref={row} tabIndex={-1} aria-label={`${label}: ${text}`}>
      <div className="row-text">
        <p className="row-title">
          <time dateTime={plannedAt}>{label}</time>
          <Badge tone={tone}>{text}</Badge>
        </p>
      </div>
      {isOpen && !isSettled && (
        <div className="row-actions">
          <Button
            kind="quiet"
            aria-label={`Done: ${label}`}
            isBusy={setting.isPending}
            onPress={() => setting.mutate('done')}
          >
            Done
          </Button>
          {status === 'upcoming' && (
            <Button
              kind="quiet"
              aria-label={`Skip: ${label}`}
              isBusy={setting.isPending}
              onPress={() => setting.mutate('skipped')}
            >
              Skip
            </Button>
          )}
        </div>
      )}
    </li>
  );
}
