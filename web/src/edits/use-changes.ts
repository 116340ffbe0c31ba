import { useCallback, useState } from 'react';
import { problemOf } from '../api/client.ts';
import { openOutbox, scopeOf, waitingWords } from '../outbox/current.ts';
import type { Outcome, Write } from '../outbox/write.ts';
import { useIdentity } from '../session/session.ts';
import type { Todo } from '../todo-common/queries.ts';
import { nameOf } from '../todo-common/todo-parts.tsx';
import { useNotice } from '../ui/notice.tsx';
import { draftsOf, type Patch, type TodoChange } from './changes.ts';
import { narrowChange, noteChange, takeChange } from './undo-stack.ts';

/** Changes of todos that say what they did and can be undone. */
export interface Changes {
  /** How many of how many todos are changed, while that lasts. */
  progress: { done: number; of: number } | null;
  /** Undoes the last change of this window that is not undone yet. */
  undo(): void;
  complete(todos: readonly Todo[]): void;
  archive(todos: readonly Todo[]): void;
  /**
   * Makes several changes as one, which is undone as one. `outcome`: where the todos are then, such as “in “Done” now”;
   * `refusal`: what they are not where that is refused.
   */
  move(parts: readonly { todos: readonly Todo[]; patch: Patch }[], outcome: string, refusal?: string): void;
  /** `outcome`: what is done to them, such as “moved to Garden”. */
  patch(todos: readonly Todo[], patch: Patch, outcome: string): void;
}

/** The subject of a notice: the name of one todo, the number of several. */
function named(todos: readonly Todo[]): string {
  const [first] = todos;
  return todos.length === 1 && first ? `“${nameOf(first)}” is` : `${todos.length.toLocaleString('en')} todos are`;
}

/** Writes with what became of them. */
interface Settled {
  write: Write;
  outcome: Outcome;
}

/** Todos with what is done to them. */
interface Part {
  todos: readonly Todo[];
  what: TodoChange;
}

/** Why a part of a change is not done; undefined where all is. */
function reasonIn(outcomes: readonly Outcome[]): string | undefined {
  const refused = outcomes.find((each) => each.state === 'refused');
  if (refused) return refused.problem.message;
  const isConflict = outcomes.some(({ state }) => state === 'conflict');
  return isConflict ? 'Somebody else changed the same at the same time: decide which one stays.' : undefined;
}

const waitingIn = (outcomes: readonly Outcome[]) => outcomes.map(waitingWords).find(Boolean) ?? '';

/**
 * The text of the notice about changes: what was done, and why the rest was refused or waits; and the writes that were
 * done. `refusal`: what the todos are not if nothing was done.
 */
function reportOf(settled: readonly Settled[], outcome: string, refusal?: string): { text: string; done: Write[] } {
  const outcomes = settled.map((each) => each.outcome);
  const isDone = ({ outcome: { state } }: Settled) => state === 'stored' || state === 'waits';
  const done = settled.filter(isDone).map(({ write }) => write);
  const todos = done.flatMap((write) => write.todos);
  const why = reasonIn(outcomes);
  if (why === undefined) return { text: `${named(todos)} ${outcome}.${waitingIn(outcomes)}`, done };
  const left = settled.filter((each) => !isDone(each)).flatMap(({ write }) => write.todos);
  if (done.length === 0) return { text: refusal === undefined ? why : `${named(left)} ${refusal}. ${why}`, done };
  const rest = left.length === 1 ? '1 is' : `${left.length.toLocaleString('en')} are`;
  return { text: `${named(todos)} ${outcome}, ${rest} not. ${why}`, done };
}

/**
 * Changes the todos of the page at once. A refused change is taken back, and a notice says why; a stored change can be
 * undone.
 */
export function useChanges(): Changes {
  const identity = useIdentity();
  const notify = useNotice();
  const [progress, setProgress] = useState<Changes['progress']>(null);
  const scope = scopeOf(identity);
  const takeBack = useCallback(
    async (change?: readonly Write[]) => {
      const writes = takeChange(scope, change);
      if (writes.length === 0) return;
      const outcomes = await (await openOutbox(identity)).undo(writes);
      notify(reasonIn(outcomes) ?? `Undone.${waitingIn(outcomes)}`);
    },
    [identity, scope, notify],
  );
  const fail = useCallback((error: unknown) => notify(problemOf(error).message), [notify]);
  const undo = useCallback((change?: readonly Write[]) => void takeBack(change).catch(fail), [takeBack, fail]);
  const change = useCallback(
    async (parts: readonly Part[], outcome: string, refusal?: string) => {
      const of = parts.flatMap(({ todos }) => todos).length;
      if (of === 0) return;
      const outbox = await openOutbox(identity);
      const drafts = parts.flatMap(({ what, todos }) => draftsOf(what, todos));
      const sent = await Promise.all(drafts.map((draft) => outbox.add(draft)));
      const writes = sent.map(({ write }) => write);
      noteChange(scope, writes);
      let done = 0;
      const settled = await Promise.all(
        sent.map(async ({ write, outcome: settling }) => {
          const result = await settling;
          done += write.todos.length;
          if (sent.length > 1) setProgress({ done, of });
          return { write, outcome: result };
        }),
      );
      setProgress(null);
      if (settled.some((each) => each.outcome.state === 'withdrawn')) return;
      const report = reportOf(settled, outcome, refusal);
      const undoable = narrowChange(writes, report.done);
      notify(report.text, undoable.length > 0 ? { label: 'Undo', onPress: () => undo(undoable) } : undefined);
    },
    [identity, scope, notify, undo],
  );
  const make = (todos: readonly Todo[], what: TodoChange, outcome: string) =>
    void change([{ todos, what }], outcome).catch(fail);
  const patch: Changes['patch'] = (todos, fields, outcome) => make(todos, { type: 'patch', patch: fields }, outcome);
  return {
    progress,
    undo: () => undo(),
    patch,
    move: (parts, outcome, refusal = 'not moved') =>
      void change(
        parts.map((part) => ({ todos: part.todos, what: { type: 'patch', patch: part.patch } })),
        outcome,
        refusal,
      ).catch(fail),
    complete: (todos) => {
      const isDone = todos.every(({ status }) => status === 'done');
      patch(todos, { status: isDone ? 'ready' : 'done' }, isDone ? 'open again' : 'done');
    },
    archive: (todos) => {
      const isArchived = todos.every((todo) => todo.isArchived);
      make(todos, { type: isArchived ? 'restore' : 'archive' }, isArchived ? 'restored' : 'archived');
    },
  };
}
