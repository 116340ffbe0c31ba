import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { agentsQuery } from '../todo-common/queries.ts';
import { nameOf } from '../todo-common/todo-parts.tsx';
import { Button } from '../ui/button.tsx';
import { lazyOverlay } from '../ui/lazy-overlay.tsx';
import { useNotice } from '../ui/notice.tsx';
import { focusPageTitleIfLost } from '../ui/page.tsx';
import { Badge } from '../ui/rows.tsx';
import { agentOf, type Chat, todoOfChatQuery } from './queries.ts';

const TitleDialog = lazyOverlay(() => import('./title-dialog.tsx').then(({ TitleDialog }) => TitleDialog));

/** Who answers in a chat, and the todo that it works for. */
export function ChatIntro({ chat }: { chat: Chat }) {
  const { workspace } = useIdentity();
  const agents = useQuery(agentsQuery(workspace.id));
  const name = agentOf(chat, agents.data)?.name ?? (agents.isLoading ? 'an agent' : null);
  return (
    <span className="todo-facts">
      {name !== null && <span>With {name}</span>}
      {chat.todoId !== null && <TodoLink todoId={chat.todoId} />}
      {chat.isArchived && <Badge>Archived</Badge>}
    </span>
  );
}

function TodoLink({ todoId }: { todoId: string }) {
  const { workspace } = useIdentity();
  const todo = useQuery(todoOfChatQuery(workspace.id, todoId));
  return (
    <span>
      Works for <Link to={`/todos/${todoId}`}>{todo.data ? nameOf(todo.data) : 'a todo'}</Link>
    </span>
  );
}

/** Archives a chat with `true`, restores it with `false`. Archiving can be undone from its notice. */
export function useArchive({ id: chatId, title }: Pick<Chat, 'id' | 'title'>) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const name = title === null ? 'The chat' : `“${title}”`;
  const onError = (error: unknown) => notify(problemOf(error).message);
  const restore = async () => {
    await api.chats.restore.mutate({ chatId });
    await readAgain(queryClient, 'chats');
  };
  return useMutation({
    mutationFn: async (isArchived: boolean) => {
      if (!isArchived) return restore();
      await api.chats.delete.mutate({ chatId });
      await readAgain(queryClient, 'chats');
    },
    onSuccess: (_, isArchived) => {
      if (isArchived) notify(`${name} is archived.`, { label: 'Undo', onPress: () => void restore().catch(onError) });
      else notify(`${name} is restored.`);
      // The button is gone, or its row is.
      focusPageTitleIfLost();
    },
    onError,
  });
}

/** Renames a chat, in a dialog. */
export function RenameChat({ chat }: { chat: Chat }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" aria-haspopup="dialog" aria-expanded={isOpen} onPress={() => setOpen(true)}>
        Rename
      </Button>
      {isOpen && <TitleDialog chat={chat} close={() => setOpen(false)} />}
    </>
  );
}

/** Archives a chat or restores it. */
export function ChatActions({ chat }: { chat: Chat }) {
  const { id, isArchived, title } = chat;
  const archive = useArchive({ id, title });
  const label = isArchived ? 'Restore' : 'Archive';
  return (
    <Button
      kind="quiet"
      aria-label={title === null ? label : `${label}: ${title}`}
      isBusy={archive.isPending}
      onPress={() => archive.mutate(!isArchived)}
    >
      {label}
    </Button>
  );
}
