import { problemOf } from '../api/client.ts';
import { openOutbox, waitingWords } from '../outbox/current.ts';
import type { Write } from '../outbox/write.ts';
import { useIdentity } from '../session/session.ts';
import { useNotice } from '../ui/notice.tsx';
import type { Todo } from '../work/queries.ts';
import { nameOf } from '../work/todo-parts.tsx';
import { columnNames, type Status } from './steps.ts';

/** Moves todos to other columns, at once. A refused one comes back, with the sentence of the service. */
export function useMove(): (todo: Todo, status: Status) => void {
  const identity = useIdentity();
  const notify = useNotice();
  const undoMove = async (write: Write, todo: Todo) => {
    const [outcome = { state: 'withdrawn' as const }] = await (await openOutbox(identity)).undo([write]);
    if (outcome.state === 'refused') return notify(`“${nameOf(todo)}” is not moved. ${outcome.problem.message}`);
    notify(`“${nameOf(todo)}” is in “${columnNames[todo.status]}” now.${waitingWords(outcome)}`);
  };
  const move = async (todo: Todo, status: Status): Promise<void> => {
    if (todo.status === status) return;
    const outbox = await openOutbox(identity);
    const sent = await outbox.add({ action: { operation: 'update', change: { status } }, todos: [todo] });
    const outcome = await sent.outcome;
    if (outcome.state === 'refused') notify(`“${nameOf(todo)}” is not moved. ${outcome.problem.message}`);
    else if (outcome.state === 'conflict')
      notify(`“${nameOf(todo)}” is not moved. Somebody else moved it at the same time: decide which one stays.`);
    else if (outcome.state !== 'withdrawn')
      notify(`“${nameOf(todo)}” is in “${columnNames[status]}” now.${waitingWords(outcome)}`, {
        label: 'Undo',
        onPress: () => void undoMove(sent.write, todo).catch(fail),
      });
  };
  const fail = (error: unknown) => notify(problemOf(error).message);
  return (todo, status) => void move(todo, status).catch(fail);
}
