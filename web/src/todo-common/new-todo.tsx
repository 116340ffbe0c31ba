import { useQuery } from '@tanstack/react-query';
import { type ComponentType, Suspense } from 'react';
import { useNavigate } from 'react-router';
import { createdWords } from '../outbox/draft.ts';
import type { Created, QuickAddProps } from '../quick-add/quick-add.tsx';
import { useIdentity } from '../session/session.ts';
import { Pending } from '../ui/card.tsx';
import { useIsHere } from '../ui/here.ts';
import { lazyPart } from '../ui/lazy-part.tsx';
import { useNotice } from '../ui/notice.tsx';
import { type Todo, todoListsQuery } from './queries.ts';

/** In the chunk of the list of todos: other pages show themselves without it first. */
const LazyForm = lazyPart(() => import('../quick-add/quick-add.tsx').then(({ QuickAdd }) => QuickAdd));

interface NewTodoProps {
  /** The list it is filed in. */
  todoListId?: string;
  /** The day that it is due on, unless the line says when. */
  dueDate?: string;
  /** On a page with a list: whether that shows a todo; undefined where the service alone knows. */
  isShown?: (todo: Todo) => boolean | undefined;
  /** The form where its code is there already, so that nothing below it moves when it appears. */
  form?: ComponentType<QuickAddProps>;
}

/** The form of a new todo. On a page without the list it leads there. */
export function NewTodo({ isShown, form: TodoForm = LazyForm, ...given }: NewTodoProps) {
  const { workspace } = useIdentity();
  const lists = useQuery(todoListsQuery(workspace.id)).data ?? [];
  const navigate = useNavigate();
  const notify = useNotice();
  const isHere = useIsHere();
  const created = (what: Created) => {
    if ('count' in what) notify(`${what.count} todos are created.`);
    else if (what.isWaiting || !isShown || isShown(what.todo))
      notify(createdWords(what.title, what.isWaiting ?? false));
    else if (what.opens || !isHere()) notify(`“${what.title}” is created.`);
    else {
      const missing = isShown(what.todo) === false ? ' This page does not show it.' : '';
      notify(`“${what.title}” is created.${missing}`, {
        label: 'Open',
        onPress: () => void navigate(`/todos/${what.id}`),
      });
    }
    // Who went on to another page stays there.
    if (!isHere()) return;
    if ('id' in what && what.opens) void navigate(`/todos/${what.id}`);
    else if (!isShown) void navigate('/todos');
  };
  return (
    <Suspense fallback={<Pending what="the form" isPaused={false} />}>
      <TodoForm lists={lists} {...given} onCreated={created} />
    </Suspense>
  );
}
