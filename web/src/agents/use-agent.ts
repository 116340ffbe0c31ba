import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { type AgentDetail, type Base, type Change, type Field, mergeChange, patchOf } from './merge.ts';
import { agentQuery, agentsKey } from './queries.ts';

/** How often a change is merged with those of others before its error is shown. */
const maxMerges = 5;

/**
 * Saves a change that was made to `base`. Returns the fields that another client set to another value: then nothing is
 * saved, and the page shows the agent as it is now.
 * @throws TandemError when the service refuses the change.
 */
export type SaveAgent = (change: Change, base: Base) => Promise<readonly Field[]>;

/** Reads an agent, and saves its changes with the version that they were made of. */
export function useAgent(agentId: string) {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const query = useQuery(agentQuery(workspace.id, agentId));
  const save = useCallback<SaveAgent>(
    async (change, base) => {
      const options = agentQuery(workspace.id, agentId);
      const readNow = () => queryClient.fetchQuery({ ...options, staleTime: 0 });
      let known: AgentDetail = queryClient.getQueryData(options.queryKey) ?? (await readNow());
      for (let round = 1; ; round++) {
        // What the page shows may be newer than what the person saw when the change began.
        const { rest, conflicts } = mergeChange(base, known, change);
        if (conflicts.length > 0 || Object.keys(rest).length === 0) return conflicts;
        try {
          const expectedVersion = known.version;
          const updated = await api.agents.update.mutate({ agentId, ...patchOf(rest), expectedVersion });
          const { skills } = known;
          await queryClient.cancelQueries({ queryKey: options.queryKey });
          queryClient.setQueryData(options.queryKey, { ...updated, model: 'automatic' as const, skills });
          await readAgain(queryClient, agentsKey);
          return [];
        } catch (error) {
          if (problemOf(error).reason !== 'version_mismatch' || round === maxMerges) throw error;
          known = await readNow();
        }
      }
    },
    [agentId, queryClient, workspace.id],
  );
  return { query, save };
}
