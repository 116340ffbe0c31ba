import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../api/client.ts';

/*
 * The three steps with which a person begins in a workspace. What this browser keeps of them is a word, `open` once the
 * person has seen them and then `hidden`, and the places of those that are done: what they began with may be gone.
 */

const keyOf = (workspaceId: string) => `tandem.firstSteps.${workspaceId}`;

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
  return word === 'open' && done.length < steps.length;
}

interface Step {
  /** Names the events after which it is asked again (live/concerns.ts). */
  name: string;
  /** Whether it is done. */
  read(signal: AbortSignal, workspaceId: string): Promise<boolean>;
}

/** What each step asks: a todo is written, the Assistant or another agent was asked, something has connected. */
const steps: readonly Step[] = [
  {
    name: 'todo',
    read: async (signal) => (await api.todos.list.query({ limit: 1 }, { signal })).data.length > 0,
  },
  {
    name: 'chat',
    read: async (signal) => (await api.chats.list.query({ limit: 1 }, { signal })).data.length > 0,
  },
  {
    name: 'app',
    read: async (signal, workspaceId) => {
      const [apps, keys] = await Promise.all([
        api.connectedApps.list.query({ workspaceId }, { signal }),
        api.apiKeys.list.query({ workspaceId }, { signal }),
      ]);
      // The first key is there from the start: only its use is a connection.
      return apps.data.length > 0 || keys.data.some(({ lastUsedAt }) => lastUsedAt !== null);
    },
  },
];

/** Whether a step is done, which is asked until it is. */
const stepQuery = (workspaceId: string, place: number) => {
  const { name, read } = steps[place] as Step;
  return queryOptions({
    queryKey: ['firstSteps', workspaceId, name],
    queryFn: async ({ signal }) => {
      if (kept(workspaceId).done.includes(String(place))) return true;
      const isDone = await read(signal, workspaceId);
      const { word, done } = kept(workspaceId);
      keep(workspaceId, word, isDone ? [...new Set([...done, String(place)])].sort() : done);
      return isDone;
    },
  });
};

/** Each step, as a query of whether it is done. */
export function useSteps(workspaceId: string, enabled = true) {
  const todo = useQuery({ ...stepQuery(workspaceId, 0), enabled });
  const chat = useQuery({ ...stepQuery(workspaceId, 1), enabled });
  const app = useQuery({ ...stepQuery(workspaceId, 2), enabled });
  return [todo, chat, app];
}

/** The steps where the sidebar is to show them; undefined where it is not, or they are not read. */
export function useKeptSteps(workspaceId: string): readonly boolean[] | undefined {
  const [isKept, setKept] = useState(() => isOpen(workspaceId));
  useEffect(() => {
    const read = () => setKept(isOpen(workspaceId));
    read();
    window.addEventListener(keyOf(workspaceId), read);
    return () => window.removeEventListener(keyOf(workspaceId), read);
  }, [workspaceId]);
  const read = useSteps(workspaceId, isKept);
  return isKept && read.every(({ data }) => data !== undefined) ? read.map(({ data }) => data === true) : undefined;
}
