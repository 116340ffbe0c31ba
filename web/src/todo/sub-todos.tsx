import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useMemo, useRef } from 'react';
import { Link } from 'react-router';
import { readAgain } from '../api/queries.ts';
import { useWrites, waitingWords } from '../outbox/current.ts';
import type { Todo } from '../outbox/merge.ts';
import { newTodoIn, withWrites } from '../outbox/shown.ts';
import { useIdentity } from '../session/session.ts';
import { placeAfterStep } from '../todo-common/order.ts';
import { namesQuery } from '../todo-common/parents.ts';
import { todoListsQuery } from '../todo-common/queries.ts';
import { nameOf } from '../todo-common/todo-parts.tsx';
import { useOrder } from '../todo-common/use-order.ts';
import { Button } from '../ui/button.tsx';
import { Card, Loaded, Pending } from '../ui/card.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { useNotice } from '../ui/notice.tsx';
import type { Save } from './opened.ts';
import { subTodosQuery } from './queries.ts';
import { SubTodoRow } from './sub-todo-row.tsx';

const QuickAdd = lazyPart(() => import('../quick-add/quick-add.tsx').then(({ QuickAdd }) => QuickAdd));

/** The todo that a sub-todo is a part of, and the way out of it. */
export function PartOf({ todo: { parentTodoId, isArchived }, save }: { todo: Todo; save: Save }) {
  const { workspace } = useIdentity();
  const notify = useNotice();
  const ids = parentTodoId === null ? [] : [parentTodoId];
  const { data } = useQuery({ ...namesQuery(workspace.id, ids), enabled: parentTodoId !== null });
  if (parentTodoId === null) return null;
  const takeOut = async () => {
    if (await save({ parentTodoId: null })) notify('It is a todo of its own now.');
  };
  return (
    <p className="part-of">
      <span>
        Part of <Link to={`/todos/${parentTodoId}`}>{data?.[parentTodoId] ?? 'another todo'}</Link>
      </span>
      {!isArchived && (
        <Button kind="quiet" onPress={() => void takeOut()}>
          Take it out
        </Button>
      )}
    </p>
  );
}

/** The parts of a todo that are todos themselves: in the manual order, to be checked off, moved and added. */
export function SubTodos({ todo }: { todo: Todo }) {
  const { workspace } = useIdentity();
  const query = useQuery(subTodosQuery(workspace.id, todo.id));
  const writes = useWrites();
  const shown = useMemo(() => {
    const read = query.data ?? [];
    const ids = new Set(read.map(({ id }) => id));
    const made = writes.flatMap((write) => newTodoIn(write) ?? []).filter(({ id }) => !ids.has(id));
    return [...read, ...made]
      .map((each) => withWrites(each, writes))
      .filter(({ parentTodoId }) => parentTodoId === todo.id);
  }, [query.data, writes, todo.id]);
  if (todo.parentTodoId !== null) return null;
  const done = shown.filter(({ status }) => status === 'done').length;
  return (
    <Card title="Sub-todos" intro={shown.length > 0 && `${done} of ${shown.length} done`}>
      <Loaded query={query} what="the sub-todos">
        {() => (shown.length === 0 ? null : <SubTodoList subTodos={shown} />)}
      </Loaded>
      {!todo.isArchived && <NewSubTodo parent={todo} />}
    </Card>
  );
}

function SubTodoList({ subTodos }: { subTodos: readonly Todo[] }) {
  const order = useOrder();
  const list = useRef<HTMLUListElement>(null);
  const wanted = useRef<string | null>(null);
  // An element that is moved in the document loses the focus.
  useEffect(() => {
    if (wanted.current === null) return;
    list.current?.querySelector<HTMLElement>(`[data-id="${wanted.current}"] a`)?.focus();
    wanted.current = null;
  });
  const ids = subTodos.map(({ id }) => id);
  const move = (todo: Todo, step: 1 | -1) => {
    const place = placeAfterStep(ids, todo.id, step);
    if (place === null) return;
    wanted.current = todo.id;
    void order(todo, place);
  };
  return (
    <>
      <ul ref={list} className="sub-todos" aria-label="Sub-todos">
        {subTodos.map((todo, index) => (
          <SubTodoRow
            key={todo.id}
            todo={todo}
            isFirst={index === 0}
            isLast={index === subTodos.length - 1}
            move={(step) => move(todo, step)}
          />
        ))}
      </ul>
      {subTodos.length > 1 && <p className="muted small">Alt with ↑ or ↓ moves the sub-todo in focus.</p>}
    </>
  );
}

function NewSubTodo({ parent }: { parent: Todo }) {
  const { workspace } = useIdentity();
  const lists = useQuery(todoListsQuery(workspace.id)).data ?? [];
  const queryClient = useQueryClient();
  const notify = useNotice();
  return (
    <Suspense fallback={<Pending what="the form" isPaused={false} />}>
      <QuickAdd
        lists={lists}
        parentTodoId={parent.id}
        onCreated={(what) => {
          if ('count' in what) notify(`${what.count} sub-todos are added.`);
          else {
            const waits = what.isWaiting ? waitingWords({ state: 'waits' }) : '';
            notify(`“${what.title}” is a part of “${nameOf(parent)}”.${waits}`);
          }
          void readAgain(queryClient, 'todos');
        }}
      />
    </Suspense>
  );
}
