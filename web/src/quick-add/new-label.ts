import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { useNotice } from '../ui/notice.tsx';
import { labelsQuery } from './queries.ts';

/** Creates labels that a line names. `created` resolves once those under way are there, or refused with a notice. */
export function useNewLabel() {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const notify = useNotice();
  const creating = useRef<Promise<unknown>>(Promise.resolve());
  const create = async (name: string) => {
    const { queryKey } = labelsQuery(workspace.id);
    const labels = await queryClient.ensureQueryData(labelsQuery(workspace.id));
    if (labels.some((label) => label.name.toLowerCase() === name.toLowerCase())) return;
    const label = await api.labels.create.mutate({ name });
    await queryClient.cancelQueries({ queryKey });
    queryClient.setQueryData(queryKey, [...labels, label]);
    void readAgain(queryClient, 'labels');
  };
  return {
    create: (name: string) => {
      creating.current = creating.current
        .then(() => create(name))
        .catch((error: unknown) => notify(`The label “${name}” is not created. ${problemOf(error).message}`));
    },
    created: () => creating.current,
  };
}
