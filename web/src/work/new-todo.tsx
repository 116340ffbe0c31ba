import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useNavigate } from 'react-router';
import type { Created } from '../quick-add/quick-add.tsx';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Pending } from '../ui/card.tsx';
import { useNotice } from '../ui/notice.tsx';
import { todoListsQuery } from './queries.ts';

function NotLoaded() {
  return (
    <>
      <p>The form could not be loaded.</p>
      <Button onPress={() => location.reload()}>Load the page again</Button>
    </>
  );
}

/** In the chunk of the list of todos: other pages show themselves without it first. */
const QuickAdd = lazy(() =>
  import('../quick-add/quick-add.tsx').then(
    ({ QuickAdd }) => ({ default: QuickAdd }),
    () => ({ default: NotLoaded }),
  ),
);

/** The form of a new todo; `todoListId` files it in that list. On a page without the list it leads there. */
export function NewTodo({ todoListId, isOnList = false }: { todoListId?: string; isOnList?: boolean }) {
  const { workspace } = useIdentity();
  const lists = useQuery(todoListsQuery(workspace.id)).data ?? [];
  const navigate = useNavigate();
  const notify = useNotice();
  const created = (what: Created) => {
    notify('count' in what ? `${what.count} todos are on the list.` : `“${what.title}” is on the list.`);
    if ('id' in what && what.opens) void navigate(`/todos/${what.id}`);
    else if (!isOnList) void navigate('/todos');
  };
  return (
    <Suspense fallback={<Pending what="the form" isPaused={false} />}>
      <QuickAdd lists={lists} {...(todoListId !== undefined && { todoListId })} onCreated={created} />
    </Suspense>
  );
}
