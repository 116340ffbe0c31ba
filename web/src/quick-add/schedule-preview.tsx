import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, problemOf } from '../api/client.ts';
import { ownTimeZone } from '../ui/time.tsx';
import type { Schedule } from './every.ts';
import { timeLabel } from './labels.ts';

const debounceMs = 250;

const previewQuery = (workspaceId: string, schedule: Schedule | null) =>
  queryOptions({
    queryKey: ['schedulePreview', workspaceId, schedule],
    queryFn: ({ signal }) => api.todos.previewSchedule.mutate({ schedule: schedule ?? {} }, { signal }),
    enabled: schedule !== null,
    staleTime: 60_000,
    retry: false,
  });

/** A value once it has been the same for a quarter of a second; compared as JSON. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as Value), debounceMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

interface SchedulePreviewProps {
  workspaceId: string;
  schedule: Schedule | null;
  /** How many of the next times are shown, at most 5. */
  times: number;
}

/** A schedule in words and its next times as the service plans them, also in the zone of the reader where that differs. */
export function SchedulePreview({ workspaceId, schedule, times }: SchedulePreviewProps) {
  const settled = useSettled(schedule);
  const { data, error } = useQuery(previewQuery(workspaceId, settled));
  if (schedule === null) return null;
  if (error) {
    const { message, errors } = problemOf(error);
    const [first] = errors;
    return <p className="field-error">{first ? `${first.param ?? 'schedule'} ${first.message}` : message}</p>;
  }
  if (!data) return <p className="muted small">Reading the schedule…</p>;
  const isElsewhere = data.timezone !== ownTimeZone;
  return (
    <div className="schedule-preview">
      <p>{data.description}</p>
      <ol aria-label="Next times">
        {data.upcomingRuns.slice(0, times).map((at) => (
          <li key={at}>
            <time dateTime={at}>{timeLabel(at, data.timezone)}</time>
            {isElsewhere && <span className="muted"> ({timeLabel(at, ownTimeZone)} your time)</span>}
          </li>
        ))}
      </ol>
    </div>
  );
}
