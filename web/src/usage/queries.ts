import { queryOptions } from '@tanstack/react-query';
import type { TandemOutputs } from 'tandem/client';
import { api } from '../api/client.ts';
import { pollUnlessLive } from '../api/live-state.ts';
import { instantOf } from '../quick-add/zoned.ts';
import { dayAfter, type Period } from './period.ts';

export type Usage = TandemOutputs['usage']['get'];

const pollMs = 30_000;

/** The agent minutes of a period; of the last 30 days where it is empty. */
export const usageQuery = (workspaceId: string, period: Partial<Period>) =>
  queryOptions({
    queryKey: ['usage', workspaceId, period],
    queryFn: ({ signal }) => api.usage.get.query(period, { signal }),
    refetchInterval: (query) => pollUnlessLive(query, pollMs),
  });

/** The instant at which a day begins in a time zone. */
function beginOf(day: string, timeZone: string): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  return new Date(instantOf({ year, month, day: date, hour: 0, minute: 0 }, timeZone)).toISOString();
}

/**
 * The minutes saved by done todos that were last changed in a period: those since its begin without those since its
 * end.
 */
export const savedQuery = (workspaceId: string, { from, to }: Period, timeZone: string) =>
  queryOptions({
    queryKey: ['todos', workspaceId, 'saved', from, to, timeZone],
    queryFn: async ({ signal }) => {
      const since = (day: string) =>
        api.todos.summary.query({ status: 'done', archived: 'any', updatedSince: beginOf(day, timeZone) }, { signal });
      const [begun, later] = await Promise.all([since(from), since(dayAfter(to, 1))]);
      return begun.minutesSaved - later.minutesSaved;
    },
    refetchInterval: (query) => pollUnlessLive(query, pollMs),
  });
