import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { problemOf } from '../api/client.ts';
import { pollUnlessLive } from '../api/live-state.ts';
import { ProblemError } from '../api/problem.ts';
import { type Identity, readAgain } from '../api/queries.ts';
import { changeTagged, readTagged, type Tagged } from '../api/tagged.ts';
import { narrowChange, noteChange } from '../edits/undo-stack.ts';
import { todoInLists } from '../outbox/cache.ts';
import { openOutbox, scopeOf, useWrites } from '../outbox/current.ts';
import type { Draft } from '../outbox/draft.ts';
import { type Base, type Change, type Conflict, mergeChange, type Todo } from '../outbox/merge.ts';
import { conflictsOf } from '../outbox/parked.ts';
import { newTodoIn, withWrites } from '../outbox/shown.ts';
import { changeIn, concerns, type Outcome } from '../outbox/write.ts';
import { useIdentity } from '../session/session.ts';
import { useNotice } from '../ui/notice.tsx';

/** A todo with the tag of its version; read again while an agent may work on it. */
const taggedTodoQuery = (workspaceId: string, todoId: string) =>
  queryOptions({
    queryKey: ['todos', workspaceId, 'tagged', todoId],
    queryFn: ({ signal }) => readTagged<Todo>(`/todos/${encodeURIComponent(todoId)}`, signal),
    refetchInterval: (query) =>
      pollUnlessLive(query, query.state.data?.resource.latestRun?.status === 'running' ? 1_000 : 5_000),
  });

/** How often a change is merged with those of others before its error is shown. */
const maxMerges = 5;

/** A conflict; one that waits in the outbox has the id of its write there. */
export type ShownConflict = Conflict & { id?: string };

const isScheduled = (change: Change) => 'schedule' in change || 'schedulePaused' in change;

/** Shows and sends a change that is then the last one, which the key of undo takes back. Returns what became of it. */
export async function addNoted(identity: Identity, draft: Draft): Promise<Outcome> {
  const { write, outcome } = await (await openOutbox(identity)).add(draft);
  const writes = [write];
  // What was accepted is never a suggestion again.
  if (changeIn(draft).isSuggested === undefined) noteChange(scopeOf(identity), writes);
  const settled = await outcome;
  if (settled.state !== 'stored' && settled.state !== 'waits') narrowChange(writes, []);
  return settled;
}

/**
 * Reads a todo with what is on its way, and saves its changes: those of its schedule directly, all others by the
 * outbox.
 */
export function useTodo(todoId: string) {
  const identity = useIdentity();
  const { workspace } = identity;
  const queryClient = useQueryClient();
  const notify = useNotice();
  const writes = useWrites();
  const made = writes.findLast((write) => newTodoIn(write)?.id === todoId);
  const isNew = made !== undefined && !made.isStored;
  const options = taggedTodoQuery(workspace.id, todoId);
  const { queryKey } = options;
  const query = useQuery({ ...options, enabled: !isNew });
  const isUnreachable = query.fetchStatus === 'paused' || (query.error !== null && problemOf(query.error).status === 0);
  const listed = !query.data && isUnreachable ? todoInLists(queryClient, workspace.id, todoId) : undefined;
  const read = query.data?.resource ?? (made && newTodoIn(made)) ?? listed;
  const todo = useMemo(() => read && withWrites(read, writes), [read, writes]);
  const [found, setFound] = useState<readonly Conflict[]>([]);
  const conflicts: readonly ShownConflict[] = [...found, ...conflictsOf(writes, todoId)];
  const last = useRef<Promise<unknown>>(Promise.resolve());

  const send = useCallback(
    async (given: Change, base: Base): Promise<Todo | null> => {
      const path = `/todos/${encodeURIComponent(todoId)}`;
      let known: Tagged<Todo> =
        queryClient.getQueryData(queryKey) ?? (await queryClient.fetchQuery({ ...options, staleTime: 0 }));
      for (let round = 1; ; round++) {
        // What the page shows may be newer than what the person saw when the change began.
        const { rest, conflicts: differing } = mergeChange(base, known.resource, given);
        if (differing.length > 0) {
          const fields = differing.map(({ field }) => field);
          setFound((all) => [...all.filter(({ field }) => !fields.includes(field)), ...differing]);
        }
        if (Object.keys(rest).length === 0) return differing.length === 0 ? known.resource : null;
        try {
          await queryClient.cancelQueries({ queryKey });
          known = await changeTagged<Todo>(path, known.tag, rest);
          queryClient.setQueryData(queryKey, known);
          void readAgain(queryClient, 'todos');
          return known.resource;
        } catch (error) {
          if (problemOf(error).status !== 412 || round === maxMerges) throw error;
          known = await queryClient.fetchQuery({ ...options, staleTime: 0 });
        }
      }
    },
    [todoId, queryClient, queryKey, options],
  );

  /**
   * For a form, which shows the error. Changes of the schedule follow one another. Returns what is stored, or null.
   * @throws ProblemError.
   */
  const submit = (change: Change, base: Base): Promise<Todo | null> => {
    const saving = last.current.then(() => send(change, base));
    last.current = saving.catch(() => {});
    return saving;
  };
  /** Shows the change at once. Returns whether it is stored, or kept until it can be sent. */
  const queue = async (change: Change, base: Base): Promise<boolean> => {
    if (!todo) return false;
    const known = queryClient.getQueryData<Tagged<Todo>>(queryKey);
    const action = { operation: 'update', change } as const;
    const settled = await addNoted(identity, { action, todos: [todo], base, known });
    if (settled.state === 'refused') throw new ProblemError(settled.problem);
    return settled.state === 'stored' || settled.state === 'waits';
  };
  const save = async (change: Change, base: Base | undefined = todo): Promise<boolean> => {
    if (!base) return false;
    const saving = isScheduled(change) ? submit(change, base).then(Boolean) : queue(change, base);
    return saving.catch((error: unknown) => {
      notify(problemOf(error).message);
      return false;
    });
  };
  const settle = async (conflict: ShownConflict, keeps: 'mine' | 'theirs'): Promise<boolean> => {
    const { id } = conflict;
    setFound((all) => all.filter((each) => each !== conflict));
    if (id !== undefined) await (await openOutbox(identity)).discard(id);
    return keeps === 'theirs' || save(conflict.mine, conflict.current);
  };
  /** How many changes of this todo are on their way. */
  const sending = writes.filter(
    (write) => write.state === 'waiting' && !write.isStored && concerns(write, todoId),
  ).length;
  /** The todo as the service is known to have it now, not when the page was rendered. */
  const stored = () => queryClient.getQueryData<Tagged<Todo>>(queryKey)?.resource;
  return { query, todo, isNew, sending, save, submit, conflicts, settle, stored };
}
