import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, problemOf } from '../api/client.ts';
import { nameOf as captureName } from '../captures/capture-badges.tsx';
import type { FinderGroup } from '../ui/finder.tsx';
import { agentsQuery } from '../work/queries.ts';
import { nameOf } from '../work/todo-parts.tsx';

/** How long nothing is typed before the service is asked, in ms. */
const debounceMs = 120;
/** Shorter texts are in nearly everything. */
const minLength = 2;
/** Of each kind. */
const maxFound = 5;

interface Found {
  groups: readonly FinderGroup[];
  isReading: boolean;
  /** Why nothing could be searched. */
  failure: string | undefined;
}

/** What the service finds by a text, at once for all kinds: todos and chats that are not archived, and captures. */
async function search(query: string, signal: AbortSignal): Promise<FinderGroup[]> {
  const input = { query, limit: maxFound };
  const [todos, chats, captures] = await Promise.all([
    api.todos.list.query(input, { signal }),
    api.chats.list.query(input, { signal }),
    api.captures.list.query(input, { signal }),
  ]);
  return [
    {
      name: 'Todos',
      entries: todos.data.map((todo) => ({ id: `/todos/${todo.id}`, name: nameOf(todo), icon: 'today' })),
    },
    {
      name: 'Chats',
      entries: chats.data.map(({ id, title }) => ({ id: `/chats/${id}`, name: title ?? 'New chat', icon: 'chat' })),
    },
    {
      name: 'Captures',
      entries: captures.data.map((capture) => ({
        id: `/captures/${capture.id}`,
        name: captureName(capture),
        icon: 'captures',
      })),
    },
  ];
}

/** Todos, chats, captures and agents that are found by a text: agents among those that are known, the others by the service. */
export function useFound(workspaceId: string, typed: string, finds: (text: string) => boolean): Found {
  const text = typed.trim();
  const isLong = text.length >= minLength;
  const settled = useSettled(text);
  const agents = useQuery(agentsQuery(workspaceId)).data ?? [];
  const { data, isPending, failureCount, fetchStatus, error } = useQuery({
    queryKey: ['found', workspaceId, settled],
    queryFn: ({ signal }) => search(settled, signal),
    enabled: isLong && settled === text,
    // What is found stays as it is while it is shown, and is searched anew the next time.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  if (!isLong) return { groups: [], isReading: false, failure: undefined };
  const isSettled = settled === text;
  const isReading = !isSettled || (isPending && failureCount === 0 && fetchStatus === 'fetching');
  const named = agents.filter(({ name, isArchived }) => !isArchived && finds(name));
  const known = {
    name: 'Agents',
    entries: named.map(({ id, name }) => ({ id: `/agents/${id}`, name, icon: 'agent' as const })),
  };
  return {
    groups: [known, ...((isSettled && data) || [])],
    isReading,
    failure: isSettled && error ? problemOf(error).message : undefined,
  };
}

/** The text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), debounceMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
