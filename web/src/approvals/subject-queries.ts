import { queryOptions } from '@tanstack/react-query';
import { api, problemOf } from '../api/client.ts';
import type { Approval } from './queries.ts';
import { type Subject, type SubjectKind, subjectOf } from './subject.ts';

/* What a card names and compares. Apart from `queries.ts`, which every page loads for the count beside “Inbox”. */

/** Something with a name that the input of a tool may refer to by its id. */
export interface Named {
  id: string;
  name: string;
  type: 'user' | 'agent' | 'list';
}

/** The members, agents and lists of a workspace, archived ones too. */
export const directoryQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['members', workspaceId, 'directory'],
    queryFn: async ({ signal }): Promise<Named[]> => {
      const [members, agents, lists] = await Promise.all([
        api.workspaces.listMembers.query({ workspaceId }, { signal }),
        api.agents.list.query({ includeArchived: true }, { signal }),
        api.todoLists.list.query({ includeArchived: true }, { signal }),
      ]);
      return [
        ...members.data.map(({ id, name }) => ({ id, name, type: 'user' as const })),
        ...agents.data.map(({ id, name }) => ({ id, name, type: 'agent' as const })),
        ...lists.data.map(({ id, name }) => ({ id, name, type: 'list' as const })),
      ];
    },
    staleTime: 60_000,
  });

/** The first line of the text names a todo without a title. */
function nameOfTodo({ title, content }: { title: string | null; content: string | null }): string {
  return title ?? content?.split('\n')[0] ?? 'Untitled';
}

type Reader = (id: string, input: Record<string, unknown>, signal: AbortSignal) => Promise<Subject | null>;

const readers: Record<SubjectKind, Reader> = {
  todo: async (id, _, signal) => {
    const [todo] = (await api.todos.list.query({ ids: [id] }, { signal })).data;
    if (!todo) return null;
    const { isArchived, rrule, scheduleType, nextRunAt, scheduleStatus } = todo;
    const schedule = rrule ?? (scheduleType === 'one_off' ? nextRunAt : null);
    const fields = { ...todo, archived: isArchived, schedule, schedulePaused: scheduleStatus === 'disabled' };
    return { name: nameOfTodo(todo), path: `/todos/${id}`, fields };
  },
  chat: async (chatId, _, signal) => {
    const { title } = await api.chats.get.query({ chatId }, { signal });
    return { name: title ?? 'New chat', path: `/chats/${chatId}`, fields: {} };
  },
  capture: async (captureId, _, signal) => {
    const capture = await api.captures.get.query({ captureId }, { signal });
    return { name: capture.title ?? 'Untitled capture', path: `/captures/${captureId}`, fields: { ...capture } };
  },
  agent: async (agentId, _, signal) => {
    const agent = await api.agents.get.query({ agentId }, { signal });
    return { name: agent.name, path: null, fields: { ...agent, archived: agent.isArchived } };
  },
  skill: async (skillId, { agentId }, signal) => {
    if (typeof agentId !== 'string') return null;
    const skill = await api.skills.get.query({ agentId, skillId }, { signal });
    return { name: skill.name, path: null, fields: { ...skill, archived: skill.isArchived } };
  },
  todoList: async (todoListId, _, signal) => {
    const list = await api.todoLists.get.query({ todoListId }, { signal });
    return { name: list.name, path: `/lists/${todoListId}`, fields: { ...list, archived: list.isArchived } };
  },
};

const unreadable = [400, 403, 404];

/** What a call is about, as it is at present; null where it cannot be read or the call is about nothing that exists. */
export const subjectQuery = (workspaceId: string, approval: Pick<Approval, 'toolName' | 'input'>) => {
  const subject = subjectOf(approval);
  return queryOptions({
    // Read again with the approvals: a decision changes it.
    queryKey: ['approvals', workspaceId, 'subject', subject?.kind, subject?.id],
    queryFn: async ({ signal }): Promise<Subject | null> => {
      if (!subject) return null;
      try {
        return await readers[subject.kind](subject.id, subject.input, signal);
      } catch (error) {
        if (unreadable.includes(problemOf(error).status)) return null;
        throw error;
      }
    },
    staleTime: 30_000,
  });
};

/** Whether somebody has to decide an approval. `read`: as it was read by itself, where it is not pending. */
export function isUndecided(isPending: boolean, read: Pick<Approval, 'status'> | undefined): boolean {
  return isPending || read?.status === 'pending';
}
