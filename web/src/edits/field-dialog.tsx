import { useState } from 'react';
import { problemOf } from '../api/client.ts';
import { useRun } from '../runs/use-run.ts';
import { useIdentity } from '../session/session.ts';
import type { Todo } from '../todo-common/queries.ts';
import { nameOf } from '../todo-common/todo-parts.tsx';
import { Loaded } from '../ui/card.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { Finder } from '../ui/finder.tsx';
import { useIsHere } from '../ui/here.ts';
import { useNotice } from '../ui/notice.tsx';
import type { TypedAhead } from '../ui/typed-ahead.tsx';
import { noValue, startsWords, tryOut } from './changes.ts';
import { chosenOf, type FieldChoice, useFieldChoices } from './field-choices.ts';
import type { FieldName } from './list-actions.ts';
import type { Changes } from './use-changes.ts';

const names: Readonly<Record<FieldName, string>> = {
  status: 'Status',
  priority: 'Priority',
  due: 'Due date',
  list: 'List',
  assignee: 'Assignee',
  agent: 'Run by',
};

const reading = (
  <p className="no-option" role="status">
    Reading…
  </p>
);

interface FieldDialogProps {
  field: FieldName;
  todos: readonly Todo[];
  changes: Changes;
  ahead: TypedAhead;
  close: () => void;
}

/** The dialog in which a field of todos is set, or the agent chosen that runs one: type to find, Enter chooses. */
export function FieldDialog({ field, todos, changes, ahead, close }: FieldDialogProps) {
  const { workspace } = useIdentity();
  const notify = useNotice();
  const isHere = useIsHere();
  const run = useRun();
  const [typed, setTyped] = useState('');
  const [agent, setAgent] = useState<FieldChoice | null>(null);
  const { choices, query } = useFieldChoices(field, typed.trim());
  const [todo] = todos;
  // An agent runs one of them, the first.
  const isOne = todos.length === 1 || field === 'agent';
  const chosen = chosenOf(field, isOne ? todos.slice(0, 1) : todos);
  const of = isOne && todo ? `“${nameOf(todo)}”` : `${todos.length.toLocaleString('en')} todos`;
  const heading = `${names[field]}: ${of}`;
  const left = workspace.agentMinutesRemaining;
  const assign = ({ id, name, isAgent }: FieldChoice) =>
    changes.patch(
      todos,
      { assignees: id === noValue ? [] : [{ id, type: isAgent ? 'agent' : 'user' }] },
      id === noValue ? 'assigned to nobody' : `assigned to ${name.replace(/ \(.*\)$/, '')}`,
    );
  const choose = async (choice: FieldChoice) => {
    const { id, name } = choice;
    const status = (['ready', 'in_progress', 'done'] as const).find((each) => each === id);
    const priority = (['urgent', 'high', 'medium', 'low'] as const).find((each) => each === id) ?? null;
    const isNone = id === noValue;
    if (field === 'status' && status) changes.patch(todos, { status }, `set to “${name}”`);
    if (field === 'priority')
      changes.patch(todos, { priority }, isNone ? 'without a priority' : `set to ${id} priority`);
    if (field === 'due')
      changes.patch(todos, { dueDate: isNone ? null : id }, isNone ? 'without a due date' : `due ${id}`);
    if (field === 'list') changes.patch(todos, { todoListId: id }, `moved to ${name}`);
    if (field === 'assignee' && !choice.isAgent) assign(choice);
    if (field === 'agent' && todo) run.mutate({ todoId: todo.id, agentId: id, name: nameOf(todo) });
    if (!choice.isAgent) return close();
    await tryOut({ assignees: [{ id, type: 'agent' }] }, todos).then(
      () => setAgent(choice),
      (error: unknown) => {
        notify(problemOf(error).message);
        // Not where it was closed before: another one may be open by then.
        if (isHere()) close();
      },
    );
  };
  if (agent) {
    return (
      <ConfirmDialog
        title={`Assign to ${agent.name.replace(/ \(agent\)$/, '')}?`}
        confirm="Assign and start"
        busy="Assigning…"
        onConfirm={async () => assign(agent)}
        close={close}
      >
        {startsWords(todos, agent.id, left)}
      </ConfirmDialog>
    );
  }
  return (
    <Finder
      label={heading}
      placeholder={field === 'due' ? 'A day: fri, next week, 3 dec' : `${names[field]} of ${of}`}
      listLabel={names[field]}
      typed={typed}
      onType={setTyped}
      groups={[{ name: null, entries: (choices ?? []).map(({ id, name }) => ({ id, name, isChosen: id === chosen })) }]}
      isReading={choices === undefined && query?.isError !== true}
      unread={
        query && query.data === undefined ? (
          <Loaded query={query} what="the choices" pending={reading}>
            {() => null}
          </Loaded>
        ) : undefined
      }
      onChoose={(id) => {
        const choice = choices?.find((each) => each.id === id);
        if (choice) void choose(choice);
      }}
      onClose={close}
      ahead={ahead}
    >
      {field === 'agent' && left !== null && (
        <p className="palette-note muted small">
          {Math.max(0, Math.floor(left)).toLocaleString('en')} agent minutes are left.
        </p>
      )}
    </Finder>
  );
}
