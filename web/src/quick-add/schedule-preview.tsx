import { queryOptions, useQuery } from '@tanstack/react-query';
import type { TandemOutputs } from 'tandem/client';
import { api, problemOf } from '../api/client.ts';
import { ownTimeZone } from '../ui/own-time-zone.ts';
import { useSettled } from '../ui/settled.ts';
import type { Schedule } from './every.ts';
import { timeLabel } from './labels.ts';

type Preview = TandemOutputs['todos']['previewSchedule'];

/** What a schedule comes to; nothing is asked without one. */
export const previewQuery = (workspaceId: string, schedule: Schedule | null) =>
  queryOptions({
    queryKey: ['schedulePreview', workspaceId, schedule],
    queryFn: ({ signal }) => api.todos.previewSchedule.mutate({ schedule: schedule ?? {} }, { signal }),
    enabled: schedule !== null,
    staleTime: 60_000,
    retry: false,
  });

interface SchedulePreviewProps {
  workspaceId: string;
  schedule: Schedule | null;
  /** How many of the next times are shown, at most 5. */
  times: number;
  /** What is to be said about them. */
  notesOf?: (preview: Preview) => readonly string[];
}

/** The sentence of a refused schedule: after the name of its field where the message is no sentence by itself. */
function refusalOf(error: unknown): string {
  const { message, errors } = problemOf(error);
  const [first] = errors;
  if (!first) return message;
  return /^[a-z]/.test(first.message) ? `${first.param ?? 'schedule'} ${first.message}` : first.message;
}

/**
 * A schedule in words and its next times as the service plans them, also in the zone of the reader where that differs.
 */
export function SchedulePreview({ workspaceId, schedule, times, notesOf }: SchedulePreviewProps) {
  const settled = useSettled(schedule);
  const { data, error } = useQuery(previewQuery(workspaceId, settled));
  if (schedule === null) return null;
  if (error) return <p className="field-error">{refusalOf(error)}</p>;
  if (!data) return <p className="muted small">Reading the schedule…</p>;
  return (
    <div className="schedule-preview">
      <p>{data.description}</p>
      <NextTimes times={data.upcomingRuns.slice(0, times)} timeZone={data.timezone} />
      {notesOf?.(data).map((note) => (
        <p key={note} className="small">
          {note}
        </p>
      ))}
    </div>
  );
}

/** Planned times on the clocks of their zone, and on those of the reader where they differ. */
export function NextTimes({ times, timeZone }: { times: readonly string[]; timeZone: string }) {
  return (
    <ol aria-label="Next times">
      {times.map((at) => {
        const [there, here] = [timeLabel(at, timeZone), timeLabel(at, ownTimeZone)];
        return (
          <li key={at}>
            <time dateTime={at}>{there}</time>
            {here !== there && <span className="muted"> ({here} your time)</span>}
          </li>
        );
      })}
    </ol>
  );
}
