import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api } from '../api/client.ts';
import { pollUnlessLive } from '../api/live-state.ts';
import { useIdentity } from '../session/session.ts';
import { dateHere, dueInWords } from '../todo-common/days.ts';
import { nameOf } from '../todo-common/todo-parts.tsx';

/** What this person has to do next, in a sentence, where nothing is due today. */
export function NextDue() {
  const { workspace } = useIdentity();
  const dueAfter = dateHere(1);
  const { data } = useQuery({
    queryKey: ['todos', workspace.id, 'next', dueAfter],
    queryFn: ({ signal }) =>
      api.todos.list.query(
        { assigneeId: 'me', status: ['active'], dueAfter, sort: 'dueDate', order: 'asc', limit: 1 },
        { signal },
      ),
    refetchInterval: (query) => pollUnlessLive(query, 30_000),
  });
  const next = data?.data[0];
  if (!next?.dueDate) return null;
  return (
    <>
      {' '}
      Next: <Link to={`/todos/${next.id}`}>{nameOf(next)}</Link>, {dueInWords(next.dueDate, dateHere())}.
    </>
  );
}
