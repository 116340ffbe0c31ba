import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { TandemInputs, TandemOutputs } from 'tandem/client';
import { api } from '../api/client.ts';
import { pollUnlessLive } from '../api/live-state.ts';
import { todosOf } from '../api/queries.ts';

export type Run = TandemOutputs['runs']['list']['data'][number];
export type Todo = TandemOutputs['todos']['get'];

/** REST's parameters of the list of runs, without those of a page of it. */
export type RunListing = Omit<TandemInputs['runs']['list'], 'limit' | 'cursor'>;

/** A run with its todo; null when that was erased. */
export interface RunOfTodo {
  run: Run;
  todo: Todo | null;
}

const pageSize = 50;
const maxRunning = 100;
const pollMs = 5_000;

async function withTodos(runs: readonly Run[], signal: AbortSignal): Promise<RunOfTodo[]> {
  const ids = [...new Set(runs.map(({ todoId }) => todoId))];
  const todos = ids.length === 0 ? [] : await todosOf(ids, { signal });
  const byId = new Map(todos.map((todo) => [todo.id, todo]));
  return runs.map((run) => ({ run, todo: byId.get(run.todoId) ?? null }));
}

/** The runs of a listing, page by page, the latest first. */
export const runsQuery = (workspaceId: string, listing: RunListing) =>
  infiniteQueryOptions({
    queryKey: ['runs', workspaceId, 'list', listing],
    queryFn: async ({ pageParam, signal }) => {
      const { data, nextCursor } = await api.runs.list.query(
        { ...listing, limit: pageSize, ...(pageParam && { cursor: pageParam }) },
        { signal },
      );
      return { data: await withTodos(data, signal), nextCursor };
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // All loaded pages are read again: only while they are few.
    refetchInterval: (query) => (query.state.data?.pages.length ?? 0) <= 2 && pollUnlessLive(query, pollMs),
  });

/** What agents work on at present, up to a hundred of them. */
export const runningQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['runs', workspaceId, 'running'],
    queryFn: async ({ signal }) => {
      const { data, hasMore } = await api.runs.list.query({ status: 'running', limit: maxRunning }, { signal });
      return { data: await withTodos(data, signal), hasMore };
    },
    refetchInterval: (query) => pollUnlessLive(query, pollMs),
  });

/** Days after which a failed run no longer asks for attention. */
const failedDays = 14;
const dayMs = 86_400_000;

/** Runs that failed lately and were not run again, of todos that are still open. */
export const failedRunsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['runs', workspaceId, 'failed'],
    queryFn: async ({ signal }) => {
      const since = new Date(Date.now() - failedDays * dayMs).toISOString();
      const status = ['failed' as const, 'timed_out' as const];
      const { data } = await api.runs.list.query({ status, since, limit: maxRunning }, { signal });
      const all = await withTodos(data, signal);
      return all.filter(
        ({ run, todo }) => todo?.latestRun?.id === run.id && todo.status !== 'done' && !todo.isArchived,
      );
    },
  });

/** The runs of one todo, the latest first. */
export const runsOfTodoQuery = (workspaceId: string, todoId: string) =>
  infiniteQueryOptions({
    queryKey: ['runs', workspaceId, 'todo', todoId],
    queryFn: ({ pageParam, signal }) =>
      api.todos.listRuns.query({ todoId, limit: 10, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
