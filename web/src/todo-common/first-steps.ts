import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../api/client.ts';

/*
 * The three steps with which a person begins in a workspace. What this browser keeps of them is a word, `open` once the
 * person has seen them and then `hidden`, and the places of those that are done: what they began with may be gone.
 */

const keyOf = (workspaceId: string) => `tandem.firstSteps.${workspaceId}`;
const stepCount = 3;

function kept(workspaceId: string): { word: string; done: string[] } {
  try {
    const [word = '', ...done] = (localStorage.getItem(keyOf(workspaceId)) ?? '').split(' ');
    return { word, done };
  } catch {
    return { word: '', done: [] };
  }
}

function keep(workspaceId: string, word: string, done: readonly string[]): void {
  try {
    localStorage.setItem(keyOf(workspaceId), [word, ...done].join(' '));
  } catch {
    // Storage is disabled: they are shown on the first visit only.
  }
  window.dispatchEvent(new Event(keyOf(workspaceId)));
}

/** Keeps the steps in the sidebar until all are done, unless they are hidden. */
export function keepSteps(workspaceId: string): void {
  const { word, done } = kept(workspaceId);
  if (word === '') keep(workspaceId, 'open', done);
}

export const hideSteps = (workspaceId: string) => keep(workspaceId, 'hidden', kept(workspaceId).done);

/** Whether the sidebar shows the steps. */
function isOpen(workspaceId: string): boolean {
  const { word, done } = kept(workspaceId);
  return word === 'open' && done.length < stepCount;
}

/** Which steps are done: a todo is written, the Assistant or another agent was asked, something has connected. */
export const stepsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['firstSteps', workspaceId],
    queryFn: async ({ signal }) => {
      const { done } = kept(workspaceId);
      const isConnected = async () => {
        const [apps, keys] = await Promise.all([
          api.connectedApps.list.query({ workspaceId }, { signal }),
          api.apiKeys.list.query({ workspaceId }, { signal }),
        ]);
        // The first key is there from the start: only its use is a connection.
        return apps.data.length > 0 || keys.data.some(({ lastUsedAt }) => lastUsedAt !== null);
      };
      const steps = await Promise.all([
        done.includes('0') || api.todos.list.query({ limit: 1 }, { signal }).then(({ data }) => data.length > 0),
        done.includes('1') || api.chats.list.query({ limit: 1 }, { signal }).then(({ data }) => data.length > 0),
        done.includes('2') || isConnected(),
      ]);
      keep(
        workspaceId,
        kept(workspaceId).word,
        steps.flatMap((isDone, place) => (isDone ? String(place) : [])),
      );
      return steps;
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
  return isKept ? data : undefined;
}
