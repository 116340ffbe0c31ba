import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { TandemOutputs } from 'tandem/client';
import { api } from '../api/client.ts';
import { pollUnlessLive } from '../api/live-state.ts';
import { todosOf } from '../api/queries.ts';
import { readTagged } from '../api/tagged.ts';
import type { OpenChat } from './state.ts';

export type Skill = TandemOutputs['skills']['get'];
export type Run = TandemOutputs['runs']['list']['data'][number];

/** All queries of agents: what a change of one makes stale. */
export const agentsKey = 'agents';

const pollMs = 10_000;
const workPollMs = 5_000;
/** Agents whose todos are counted on one page: each count is a call of its own, ten in one request. */
const maxCounted = 30;
const pageSize = 100;

/** One agent with its skills. Others may change it, so it is read again. */
export const agentQuery = (workspaceId: string, agentId: string) =>
  queryOptions({
    queryKey: [agentsKey, workspaceId, 'one', agentId],
    queryFn: ({ signal }) => api.agents.get.query({ agentId }, { signal }),
    refetchInterval: (query) => pollUnlessLive(query, pollMs),
  });

/** The chats in which agents work, wait for a person or wait to start; the latest first. */
export const openChatsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['chats', workspaceId, 'open'],
    queryFn: async ({ signal }): Promise<OpenChat[]> => {
      const statuses = ['awaiting_input', 'running', 'queued'] as const;
      const pages = await Promise.all(
        statuses.map((status) => api.chats.list.query({ status, limit: pageSize }, { signal })),
      );
      return pages.flatMap(({ data }, place) =>
        data.map(({ id, agentId }) => ({ id, agentId, status: statuses[place] ?? 'running' })),
      );
    },
    refetchInterval: (query) => pollUnlessLive(query, workPollMs),
  });

/** How many open todos each of these agents has, by its id. Of many agents the first ones are counted. */
export const openTodosQuery = (workspaceId: string, agentIds: readonly string[]) =>
  queryOptions({
    queryKey: ['todos', workspaceId, 'ofAgents', agentIds],
    queryFn: async ({ signal }): Promise<Record<string, number>> => {
      const counts = await Promise.all(
        agentIds.slice(0, maxCounted).map(async (assigneeId) => {
          const { active } = await api.todos.summary.query({ assigneeId, status: 'active' }, { signal });
          return [assigneeId, active] as const;
        }),
      );
      return Object.fromEntries(counts);
    },
    staleTime: 30_000,
  });

/** What waits for an agent: its open todos, and those of them with a schedule that goes on. */
export const waitingQuery = (workspaceId: string, agentId: string) =>
  queryOptions({
    // The id in an object: events of todos do not name their assignees.
    queryKey: ['todos', workspaceId, 'waitFor', { agentId }],
    queryFn: async ({ signal }) => {
      const open = { assigneeId: agentId, status: 'active' } as const;
      const [todos, scheduled] = await Promise.all([
        api.todos.summary.query(open, { signal }),
        api.todos.summary.query({ ...open, scheduleStatus: ['pending', 'queued', 'error'] }, { signal }),
      ]);
      return { todos: todos.total, schedules: scheduled.total };
    },
  });

/** The skills of an agent, archived ones too. */
export const skillsQuery = (workspaceId: string, agentId: string) =>
  queryOptions({
    queryKey: [agentsKey, workspaceId, 'skills', agentId],
    queryFn: async ({ signal }) => (await api.skills.list.query({ agentId, includeArchived: true }, { signal })).data,
    refetchInterval: (query) => pollUnlessLive(query, pollMs),
  });

/** One skill with the tag of its version. */
export const taggedSkillQuery = (workspaceId: string, agentId: string, skillId: string) =>
  queryOptions({
    queryKey: [agentsKey, workspaceId, 'skill', skillId],
    queryFn: ({ signal }) =>
      readTagged<Skill>(`/agents/${encodeURIComponent(agentId)}/skills/${encodeURIComponent(skillId)}`, signal),
    refetchInterval: (query) => pollUnlessLive(query, pollMs),
  });

/** The runs of an agent, the latest first, each with the title of its todo. */
export const agentRunsQuery = (workspaceId: string, agentId: string) =>
  infiniteQueryOptions({
    queryKey: ['todos', workspaceId, 'runsOf', agentId],
    queryFn: async ({ pageParam, signal }) => {
      const page = await api.runs.list.query({ agentId, ...(pageParam && { cursor: pageParam }) }, { signal });
      const ids = [...new Set(page.data.map(({ todoId }) => todoId))];
      const todos = ids.length === 0 ? [] : await todosOf(ids, { signal });
      return { ...page, data: page.data.map((run) => ({ run, todo: todos.find(({ id }) => id === run.todoId) })) };
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: (query) => pollUnlessLive(query, workPollMs),
  });
