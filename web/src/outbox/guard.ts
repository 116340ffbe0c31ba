import { ProblemError } from '../api/problem.ts';
import { identityQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { unsentMessages } from '../chats/use-outbox.ts';
import { changesWait, guardSession } from '../session/session.ts';
import { countWrites, deleteWrites } from './store.ts';

/* Signing out deletes the changes and messages that wait, so a person is asked before. */

const userId = () => queryClient.getQueryData(identityQuery.queryKey)?.user.id ?? null;

const counted = (count: number, one: string, several: string) =>
  count === 0 ? [] : [count === 1 ? one : `${count} ${several}`];

guardSession({
  check: async ({ ends, discards }) => {
    const id = userId();
    if (id === null || !ends || discards) return;
    const [writes, messages] = [await countWrites(id), unsentMessages()];
    const isOne = writes + messages === 1;
    const what = [
      ...counted(writes, 'A change of a todo', 'changes of todos'),
      ...counted(messages, writes === 0 ? 'A message' : 'a message', 'messages'),
    ].join(' and ');
    if (what === '') return;
    const message = `${what} ${isOne ? 'is' : 'are'} not stored by the service yet. Signing out discards ${isOne ? 'it' : 'them'}.`;
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
