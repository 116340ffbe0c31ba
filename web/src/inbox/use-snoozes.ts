import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { type Polled, pollUnlessLive } from '../api/live-state.ts';
import { type Snooze, snoozesQuery } from './queries.ts';

/* What the person does not want to see in the inbox for now. */

/** Longer than a timer of a browser can be, one is set again. */
const maxTimerMs = 86_400_000;

interface Snoozes {
  /** What is put off, by the id of its subject, in the order in which it comes back; undefined until it is read. */
  ahead: ReadonlyMap<string, Snooze> | undefined;
  /** When what was put off came back, by the id of its subject. */
  back: ReadonlyMap<string, string>;
}

/** The snoozes of the person. What comes back does so at its time, without a reading of the service. */
export function useSnoozes(workspaceId: string, pollMs: number): Snoozes {
  const queryClient = useQueryClient();
  const refetchInterval = (query: Polled) => pollUnlessLive(query, pollMs);
  const { data, errorUpdateCount } = useQuery({ ...snoozesQuery(workspaceId), refetchInterval });
  const hasFailed = errorUpdateCount > 0;
  const [now, setNow] = useState(Date.now);
  const isAhead = ({ until }: Snooze) => Date.parse(until) > now;
  const next = data?.find(isAhead)?.until;
  useEffect(() => {
    if (next === undefined) return;
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      timer = setTimeout(end, Math.min(maxTimerMs, Math.max(0, Date.parse(next) - Date.now() + 1)));
    };
    const end = () => {
      const at = Date.now();
      if (Date.parse(next) > at) return wait();
      setNow(at);
      // It counts as unread from now on.
      void queryClient.invalidateQueries({ queryKey: ['notifications', workspaceId] });
    };
    wait();
    return () => clearTimeout(timer);
  }, [next, queryClient, workspaceId]);
  return useMemo(() => {
    const [ahead, back] = [new Map<string, Snooze>(), new Map<string, string>()];
    for (const snooze of data ?? []) {
      if (Date.parse(snooze.until) > now) ahead.set(snooze.subjectId, snooze);
      else back.set(snooze.subjectId, snooze.until);
    }
    // Where it cannot be read, nothing is put off: also while it is read again.
    return { ahead: data === undefined && !hasFailed ? undefined : ahead, back };
  }, [data, hasFailed, now]);
}
