import { ProblemError } from '../api/problem.ts';
import { identityQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { changesWait, guardSession } from '../session/session.ts';
import { countWrites, deleteWrites } from './store.ts';

/* Signing out deletes the changes that wait, so a person is asked before. */

const userId = () => queryClient.getQueryData(identityQuery.queryKey)?.user.id ?? null;

guardSession({
  check: async ({ ends, discards }) => {
    const id = userId();
    const count = id === null || !ends || discards ? 0 : await countWrites(id);
    if (count === 0) return;
    const message = `${count === 1 ? 'A change of a todo is' : `${count} changes of todos are`} not stored by the service yet. Signing out discards ${count === 1 ? 'it' : 'them'}.`;
    throw new ProblemError({
      status: 409,
      code: 'resource_conflict',
      reason: changesWait,
      message,
      retryable: false,
      errors: [],
    });
  },
  clear: async () => {
    const id = userId();
    if (id !== null) await deleteWrites(id);
  },
});
