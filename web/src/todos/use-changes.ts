import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { problemOf } from '../api/client.ts';
import { useNotice } from '../ui/notice.tsx';
import type { Todo } from '../work/queries.ts';
import { nameOf } from '../work/todo-parts.tsx';
import { carryOut, inverseOf, type Patch, type Step, type TodoChange } from './changes.ts';

/** Changes of todos that say what they did and can be undone. */
export interface Changes {
  /** How many of how many todos are changed, while that lasts. */
  progress: { done: number; of: number } | null;
  /** Undoes the last change. */
  undo(): void;
  complete(todos: readonly Todo[]): void;
  archive(todos: readonly Todo[]): void;
  /** `outcome`: what is done to them, such as “moved to Garden”. */
  patch(todos: readonly Todo[], patch: Patch, outcome: string): void;
}

/** The subject of a notice: the name of one todo, the number of several. */
function named(todos: readonly Todo[]): string {
  const [first] = todos;
  return todos.length === 1 && first ? `“${nameOf(first)}” is` : `${todos.length.toLocaleString('en')} todos are`;
}

/** Changes the todos of the page. A refused change is shown; of several requests, those before it stay and can be undone. */
export function useChanges(): Changes {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const [progress, setProgress] = useState<Changes['progress']>(null);
  const isBusy = useRef(false);
  const last = useRef<readonly Step[] | null>(null);
  const undo = useCallback(
    function again(): void {
      const steps = last.current;
      if (steps === null) return;
      last.current = null;
      void carryOut(queryClient, steps).then(
        () => notify('Undone.'),
        (error: unknown) => {
          // Repeating the steps that were done changes nothing.
          last.current ??= steps;
          notify(problemOf(error).message, { label: 'Undo', onPress: again });
        },
      );
    },
    [queryClient, notify],
  );
  const change = useCallback(
    async (todos: readonly Todo[], what: TodoChange, outcome: string) => {
      if (todos.length === 0 || isBusy.current) return;
      isBusy.current = true;
      let changed = 0;
      const count = (done: number) => {
        changed = done;
        setProgress({ done, of: todos.length });
      };
      count(0);
      try {
        await carryOut(queryClient, [{ change: what, ids: todos.map(({ id }) => id) }], count);
        last.current = inverseOf(what, todos);
        notify(`${named(todos)} ${outcome}.`, { label: 'Undo', onPress: undo });
      } catch (error) {
        const { message } = problemOf(error);
        if (changed === 0) return notify(message);
        const done = todos.slice(0, changed);
        const rest = todos.length - changed;
        last.current = inverseOf(what, done);
        const text = `${named(done)} ${outcome}, ${rest.toLocaleString('en')} ${rest === 1 ? 'is' : 'are'} not. ${message}`;
        notify(text, { label: 'Undo', onPress: undo });
      } finally {
        isBusy.current = false;
        setProgress(null);
      }
    },
    [queryClient, notify, undo],
  );
  const patch: Changes['patch'] = (todos, fields, outcome) =>
    void change(todos, { type: 'patch', patch: fields }, outcome);
  return {
    progress,
    undo,
    patch,
    complete: (todos) => {
      const isDone = todos.every(({ status }) => status === 'done');
      patch(todos, { status: isDone ? 'ready' : 'done' }, isDone ? 'open again' : 'done');
    },
    archive: (todos) => {
      const isArchived = todos.every((todo) => todo.isArchived);
      void change(todos, { type: isArchived ? 'restore' : 'archive' }, isArchived ? 'restored' : 'archived');
    },
  };
}
