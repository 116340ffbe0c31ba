import { useQuery } from '@tanstack/react-query';
import { api, problemOf } from '../api/client.ts';
import { nameOf as captureName } from '../captures/capture-badges.tsx';
import { agentsQuery } from '../todo-common/queries.ts';
import { nameOf } from '../todo-common/todo-parts.tsx';
import type { FinderGroup } from '../ui/finder.tsx';
import { useSettled } from '../ui/settled.ts';

/** How long nothing is typed before the service is asked, in ms. */
const debounceMs = 120;
/** Shorter texts are in nearly everything. */
const minLength = 2;
/** Of each kind. */
const maxFound = 5;

interface Found {
  groups: readonly FinderGroup[];
  isReading: boolean;
  /** What could not be searched, and why. */
  failure: string | undefined;
}

type Entries = FinderGroup['entries'];
type Search = (query: string, signal: AbortSignal) => Promise<Entries>;

/** What is searched by the service: todos and chats that are not archived, and captures. */
const searches: Readonly<Record<string, Search>> = {
  Todos: async (query, signal) =>
    (await api.todos.list.query({ query, limit: maxFound }, { signal })).data.map((todo) => ({
      id: `/todos/${todo.id}`,
      name: nameOf(todo),
      icon: 'today',
    })),
  Chats: async (query, signal) =>
    (await api.chats.list.query({ query, limit: maxFound }, { signal })).data.map(({ id, title }) => ({
      id: `/chats/${id}`,
      name: title ?? 'New chat',
      icon: 'chat',
    })),
  Captures: async (query, signal) =>
    (await api.captures.list.query({ query, limit: maxFound }, { signal })).data.map((capture) => ({
      id: `/captures/${capture.id}`,
      name: captureName(capture),
      icon: 'captures',
    })),
};

/** Searches all at once, in one request. What fails takes nothing from the others. */
async function search(query: string, signal: AbortSignal): Promise<Omit<Found, 'isReading'>> {
  const groups: FinderGroup[] = [];
  const missing: string[] = [];
  let reason = '';
  await Promise.all(
    Object.entries(searches).map(async ([name, find], place) => {
      try {
        groups[place] = { name, entries: await find(query, signal) };
      } catch (error) {
        missing.push(name);
        reason = problemOf(error).message;
      }
    }),
  );
  signal.throwIfAborted();
  const failure = missing.length > 0 ? `Not searched: ${missing.join(', ').toLowerCase()}. ${reason}` : undefined;
  return { groups: groups.filter(Boolean), failure };
}

/**
 * Todos, chats, captures and agents that are found by a text: agents among those that are known, the others by the
 * service.
 */
export function useFound(workspaceId: string, typed: string, finds: (text: string) => boolean): Found {
  const text = typed.trim();
  const isLong = text.length >= minLength;
  const settled = useSettled(text, debounceMs, '');
  const agents = useQuery(agentsQuery(workspaceId)).data ?? [];
  const { data, isFetching } = useQuery({
    queryKey: ['found', workspaceId, settled],
    queryFn: ({ signal }) => search(settled, signal),
    enabled: isLong && settled === text,
    // What is found stays as it is while it is shown, and is searched anew the next time.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (!isLong) return { groups: [], isReading: false, failure: undefined };
  const answer = settled === text ? data : undefined;
  const isReading = settled !== text || isFetching;
  const named = agents.filter(({ name, isArchived }) => !isArchived && finds(name));
  const known = {
    name: 'Agents',
    entries: named.map(({ id, name }) => ({ id: `/agents/${id}`, name, icon: 'agent' as const })),
  };
  return { groups: [known, ...(answer?.groups ?? [])], isReading, failure: answer?.failure };
}
