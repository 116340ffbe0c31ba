import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { assignableQuery } from '../quick-add/queries.ts';
import { useIdentity } from '../session/session.ts';
import { agentsQuery, allTodoListsQuery } from '../todo-common/queries.ts';
import type { Listing } from './filter.ts';
import { type Part, type PartField, partsOf } from './parts.ts';

interface Parts {
  /** Undefined until it is known which ones there are. */
  parts: readonly Part[] | undefined;
  error: unknown;
  retry: () => void;
}

/** The parts of a listing by a field; none are read where there is no field. */
export function useParts(field: PartField | undefined, listing: Listing): Parts {
  const { workspace, user } = useIdentity();
  const lists = useQuery({ ...allTodoListsQuery(workspace.id), enabled: field === 'list' });
  const workers = useQuery({ ...assignableQuery(workspace.id), enabled: field === 'assignee' });
  const agents = useQuery({ ...agentsQuery(workspace.id), enabled: field === 'assignee' });
  const parts = useMemo(() => {
    if (field === undefined) return [];
    if (field === 'list' && !lists.data) return undefined;
    if (field === 'assignee' && !(workers.data && agents.data)) return undefined;
    const archived = (agents.data ?? []).filter(({ isArchived }) => isArchived);
    const known = {
      lists: lists.data ?? [],
      workers: [
        ...(workers.data ?? []).filter(({ id }) => !archived.some((agent) => agent.id === id)),
        ...archived.map(({ id, name }) => ({ id, name, type: 'agent' as const, isArchived: true })),
      ],
      userId: user.id,
    };
    return partsOf(field, listing, known);
  }, [field, listing, lists.data, workers.data, agents.data, user.id]);
  const failed = [lists, workers, agents].filter(({ error }) => error !== null);
  return {
    parts,
    error: failed[0]?.error ?? null,
    retry: () => {
      for (const query of failed) void query.refetch();
    },
  };
}
