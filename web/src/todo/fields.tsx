import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Change, Todo } from '../outbox/merge.ts';
import { assignableQuery } from '../quick-add/queries.ts';
import { useIdentity } from '../session/session.ts';
import { todoListsQuery } from '../todo-common/queries.ts';
import { Pending } from '../ui/card.tsx';
import { Labelled } from '../ui/fields.tsx';
import { TodoLabels } from './labels.tsx';
import { type Save, useOneSave, useOpened } from './opened.ts';
import { Reminders } from './reminders.tsx';

interface FieldsProps {
  todo: Todo;
  save: Save;
}

interface ChoiceProps<Value extends string> extends FieldsProps {
  label: string;
  value: Value;
  options: readonly (readonly [value: Value, label: string])[];
  changeOf: (value: Value) => Change;
}

function Choice<Value extends string>({ todo, save, label, value, options, changeOf }: ChoiceProps<Value>) {
  const { focus, change } = useOpened(todo, save);
  // Shown until it is stored, so that the next key goes on from it.
  const [chosen, setChosen] = useState<Value | null>(null);
  const choose = async (next: Value) => {
    setChosen(next);
    await change(changeOf(next));
    setChosen((latest) => (latest === next ? null : latest));
  };
  return (
    <Labelled label={label}>
      {(id) => (
        <select
          {...focus}
          id={id}
          className="input"
          value={chosen ?? value}
          onChange={(event) => void choose(event.target.value as Value)}
        >
          {options.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

/** Saved when the focus leaves it and with Enter: while it is typed, a date may be another one or none. */
function DueDate({ todo, save }: FieldsProps) {
  const { focus, change } = useOpened(todo, save);
  const [typed, setTyped] = useState<string | null>(null);
  const saveOnce = useOneSave();
  const store = async ({ validity, value }: HTMLInputElement) => {
    if (typed === null || !validity.valid) return;
    await saveOnce(value, async () => {
      await change({ dueDate: value || null });
      setTyped((latest) => (latest === value ? null : latest));
    });
  };
  return (
    <Labelled label="Due date">
      {(id) => (
        <input
          id={id}
          type="date"
          className="input"
          value={typed ?? todo.dueDate ?? ''}
          onFocus={focus.onFocus}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={(event) => {
            void store(event.currentTarget);
            focus.onBlur(event);
          }}
          onKeyDown={({ key, currentTarget }) => {
            if (key === 'Enter') void store(currentTarget);
            if (key === 'Escape') setTyped(null);
          }}
        />
      )}
    </Labelled>
  );
}

const statuses = [
  ['ready', 'Ready'],
  ['in_progress', 'In progress'],
  ['done', 'Done'],
] as const;
const priorities: (readonly [NonNullable<Todo['priority']> | '', string])[] = [
  ['', 'None'],
  ['urgent', 'Urgent'],
  ['high', 'High'],
  ['medium', 'Medium'],
  ['low', 'Low'],
];
const types = [
  ['task', 'Task: finished once'],
  ['responsibility', 'Responsibility: continuing work'],
] as const;

/** The fields of a todo beside its title and text. Each is saved when it is changed. */
export function TodoFields(props: FieldsProps) {
  const { workspace } = useIdentity();
  const { todoListId, status, priority, type } = props.todo;
  const lists = useQuery(todoListsQuery(workspace.id)).data ?? [];
  const known = lists.some(({ id }) => id === todoListId);
  const options = [
    ...(known ? [] : [[todoListId, 'Another list'] as const]),
    ...lists.map(({ id, name }) => [id, name] as const),
  ];
  return (
    <div className="todo-fields">
      <Choice {...props} label="Status" value={status} options={statuses} changeOf={(value) => ({ status: value })} />
      <Choice
        {...props}
        label="Priority"
        value={priority ?? ''}
        options={priorities}
        changeOf={(value) => ({ priority: value || null })}
      />
      <DueDate {...props} />
      <Reminders todo={props.todo} />
      <Choice
        {...props}
        label="List"
        value={todoListId}
        options={options}
        changeOf={(value) => ({ todoListId: value })}
      />
      <Choice {...props} label="Type" value={type} options={types} changeOf={(value) => ({ type: value })} />
      <Assignees {...props} />
      <TodoLabels {...props} />
    </div>
  );
}

/** People and agents to tick; who cannot be assigned any more stays until it is unticked. */
function Assignees({ todo, save }: FieldsProps) {
  const { workspace } = useIdentity();
  const { data: assignable = [], isLoading } = useQuery(assignableQuery(workspace.id));
  const { focus, change } = useOpened(todo, save);
  // As in a select: the next box goes on from what is not stored yet.
  const [chosen, setChosen] = useState<readonly string[] | null>(null);
  const ids = chosen ?? todo.assignees.map(({ id }) => id);
  const gone = todo.assignees.filter(({ id }) => !assignable.some((one) => one.id === id));
  const toggle = async (id: string) => {
    const next = ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id];
    setChosen(next);
    await change({ assignees: next.map((each) => ({ id: each })) });
    setChosen((latest) => (latest === next ? null : latest));
  };
  return (
    <fieldset className="assignees" {...focus}>
      <legend>Assignees</legend>
      {[...gone, ...assignable].map(({ id, name, type }) => (
        <label key={id}>
          <input type="checkbox" checked={ids.includes(id)} onChange={() => void toggle(id)} /> {name}
          {type === 'agent' && <span className="muted"> (agent)</span>}
        </label>
      ))}
      {isLoading && <Pending what="who can be assigned" isPaused={false} />}
    </fieldset>
  );
}
