import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../api/client.ts';

/* The three steps with which a person begins in a workspace, and whether this browser still shows them. */

const keyOf = (workspaceId: string) => `tandem.firstSteps.${workspaceId}`;

/** Whether the person has seen the steps, and has neither done all of them nor hidden them. */
function isOpen(workspaceId: string): boolean {
  try {
    return localStorage.getItem(keyOf(workspaceId)) !== null;
  } catch {
    return false;
  }
}

/** Keeps the steps in the sidebar, or ends that. */
export function keepSteps(workspaceId: string, areKept: boolean): void {
  try {
    if (areKept) localStorage.setItem(keyOf(workspaceId), 'open');
    else localStorage.removeItem(keyOf(workspaceId));
  } catch {
    // Storage is disabled: they are shown on the first visit only.
  }
  window.dispatchEvent(new Event(keyOf(workspaceId)));
}

/** Which steps are done: a todo is written, the Assistant or another agent was asked, something has connected. */
export const stepsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['todos', workspaceId, 'begun'],
    queryFn: async ({ signal }) => {
      const [todos, chats, apps, keys] = await Promise.all([
        api.todos.list.query({ limit: 1 }, { signal }),
        api.chats.list.query({ limit: 1 }, { signal }),
        api.connectedApps.list.query({ workspaceId }, { signal }),
        api.apiKeys.list.query({ workspaceId }, { signal }),
      ]);
      // The first key is there from the start: only its use is a connection.
      const isConnected = apps.data.length > 0 || keys.data.some(({ lastUsedAt }) => lastUsedAt !== null);
      return [todos.data.length > 0, chats.data.length > 0, isConnected] as const;
    },
  });

/** The steps where the sidebar is to show them; undefined where it is not, or they are not read. */
export function useKeptSteps(workspaceId: string): readonly boolean[] | undefined {
  const [isKept, setKept] = useState(() => isOpen(workspaceId));
  useEffect(() => {
    const read = () => setKept(isOpen(workspaceId));
    read();
    window.addEventListener(keyOf(workspaceId), read);
    return () => window.removeEventListener(keyOf(workspaceId), read);
  }, [workspaceId]);
  const { data } = useQuery({ ...stepsQuery(workspaceId), enabled: isKept });
  const areAllDone = data?.every((isDone) => isDone) === true;
  useEffect(() => {
    if (isKept && areAllDone) keepSteps(workspaceId, false);
  }, [isKept, areAllDone, workspaceId]);
  return isKept ? data : undefined;
}
