import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { assignableQuery } from '../quick-add/queries.ts';
import { useIdentity } from '../session/session.ts';
import { todoListsQuery } from '../work/queries.ts';
import type { Change, Todo } from './merge.ts';

interface FieldsProps {
  todo: Todo;
  save: (change: Change) => Promise<boolean>;
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <Labelled label={label}>
      {(id) => (
        <select id={id} className="input" value={value} onChange={(event) => onChange(event.target.value)}>
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

function Labelled({ label, children }: { label: string; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id)}
    </div>
  );
}

const statuses = [
  ['ready', 'Ready'],
  ['in_progress', 'In progress'],
  ['done', 'Done'],
] as const;
const priorities = [
  ['', 'None'],
  ['urgent', 'Urgent'],
  ['high', 'High'],
  ['medium', 'Medium'],
  ['low', 'Low'],
] as const;
const types = [
  ['task', 'Task: finished once'],
  ['responsibility', 'Responsibility: continuing work'],
] as const;

/** The fields of a todo beside its title and text. Each is saved when it is changed. */
export function TodoFields({ todo, save }: FieldsProps) {
  const { workspace } = useIdentity();
  const lists = useQuery(todoListsQuery(workspace.id)).data ?? [];
  const known = lists.some(({ id }) => id === todo.todoListId);
  const options = [
    ...(known ? [] : [[todo.todoListId, 'Another list'] as const]),
    ...lists.map(({ id, name }) => [id, name] as const),
  ];
  return (
    <div className="todo-fields">
      <Choice
        label="Status"
        value={todo.status}
        options={statuses}
        onChange={(status) => void save({ status: status as Todo['status'] })}
      />
      <Choice
        label="Priority"
        value={todo.priority ?? ''}
        options={priorities}
        onChange={(priority) => void save({ priority: (priority || null) as Todo['priority'] })}
      />
      <Labelled label="Due date">
        {(id) => (
          <input
            id={id}
            key={todo.dueDate}
            type="date"
            className="input"
            defaultValue={todo.dueDate ?? ''}
            onBlur={({ target }) =>
              target.validity.valid &&
              target.value !== (todo.dueDate ?? '') &&
              void save({ dueDate: target.value || null })
            }
          />
        )}
      </Labelled>
      <Choice
        label="List"
        value={todo.todoListId}
        options={options}
        onChange={(todoListId) => void save({ todoListId })}
      />
      <Choice
        label="Type"
        value={todo.type}
        options={types}
        onChange={(type) => void save({ type: type as Todo['type'] })}
      />
      <Assignees todo={todo} save={save} />
    </div>
  );
}

/** People and agents to tick; who cannot be assigned any more stays until it is unticked. */
function Assignees({ todo, save }: FieldsProps) {
  const { workspace } = useIdentity();
  const assignable = useQuery(assignableQuery(workspace.id)).data ?? [];
  const ids = todo.assignees.map(({ id }) => id);
  const gone = todo.assignees.filter(({ id }) => !assignable.some((one) => one.id === id));
  const toggle = (id: string) => {
    const next = ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id];
    void save({ assignees: next.map((each) => ({ id: each })) });
  };
  return (
    <fieldset className="assignees">
      <legend>Assignees</legend>
      {[...gone, ...assignable].map(({ id, name, type }) => (
        <label key={id}>
          <input type="checkbox" checked={ids.includes(id)} onChange={() => toggle(id)} /> {name}
          {type === 'agent' && <span className="muted"> (agent)</span>}
        </label>
      ))}
    </fieldset>
  );
}
