import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useNavigate } from 'react-router';
import { keyed } from 'tandem/client';
import { v4 as newKey } from 'uuid';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { useNotice } from '../ui/notice.tsx';

/** What starts a run. */
export interface RunRequest {
  todoId: string;
  /** Null: the agent that the todo is assigned to. */
  agentId: string | null;
  /** Of the todo. */
  name: string;
}

/** Starts an agent on a todo, and says so or why not. */
export function useRun() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const notify = useNotice();
  // The same key until it is answered: sent again after a lost answer, it starts no second run.
  const key = useRef(newKey());
  return useMutation({
    mutationFn: ({ todoId, agentId }: RunRequest) =>
      api.todos.run.mutate({ todoId, ...(agentId !== null && { agentId }) }, keyed(key.current)),
    onSuccess: async ({ chatId }, { name }) => {
      notify(`The agent works on “${name}”.`, {
        label: 'Open the chat',
        onPress: () => void navigate(`/chats/${chatId}`),
      });
      await Promise.all([readAgain(queryClient, 'runs'), readAgain(queryClient, 'todos')]);
    },
    onError: (error) => {
      const { status, message } = problemOf(error);
      const usage = { label: 'See the agent minutes', onPress: () => void navigate('/usage') };
      notify(message, status === 402 ? usage : undefined);
    },
    onSettled: (_, error) => {
      if (error === null || problemOf(error).status > 0) key.current = newKey();
    },
  });
}
