import type { TandemInputs } from 'tandem/client';
import type { Label } from '../quick-add/queries.ts';
import type { Todo } from '../todo-common/queries.ts';

/* Which labels some todos have, and which of them a person chose to put on or take off. */

export type LabelChange = Pick<
  NonNullable<TandemInputs['todos']['bulkUpdate']['patch']>,
  'addLabelIds' | 'removeLabelIds'
>;

type Labelled = Pick<Todo, 'labels'>;

/** What a person chose, by the id of the label: on all of the todos, or on none. */
export type Chosen = ReadonlyMap<string, boolean>;

/** Whether all, some or none of the todos have a label. */
export function stateOf(labelId: string, todos: readonly Labelled[], chosen: Chosen): 'all' | 'some' | 'none' {
  const choice = chosen.get(labelId);
  if (choice !== undefined) return choice ? 'all' : 'none';
  const count = todos.filter(({ labels }) => labels.some(({ id }) => id === labelId)).length;
  if (count === 0) return 'none';
  return count === todos.length ? 'all' : 'some';
}

/** The choices after a label was pressed: if not all todos have it, all get it; else it is taken off all. */
export function pressed(labelId: string, todos: readonly Labelled[], chosen: Chosen): Map<string, boolean> {
  return new Map(chosen).set(labelId, stateOf(labelId, todos, chosen) !== 'all');
}

/** The change of these todos that the choices mean, with its result in words; null if they change nothing. */
export function changeOf(
  labels: readonly Label[],
  todos: readonly Labelled[],
  chosen: Chosen,
): { change: LabelChange; outcome: string } | null {
  const none: Chosen = new Map();
  const changed = labels.filter(({ id }) => {
    const choice = chosen.get(id);
    return choice !== undefined && stateOf(id, todos, none) !== (choice ? 'all' : 'none');
  });
  if (changed.length === 0) return null;
  const added = changed.filter(({ id }) => chosen.get(id));
  const removed = changed.filter(({ id }) => !chosen.get(id));
  const namesOf = (of: readonly Label[]) => of.map(({ name }) => `“${name}”`).join(', ');
  const outcome = [
    ...(added.length > 0 ? [`labelled ${namesOf(added)}`] : []),
    ...(removed.length > 0 ? [`no longer labelled ${namesOf(removed)}`] : []),
  ].join(' and ');
  const change = {
    ...(added.length > 0 && { addLabelIds: added.map(({ id }) => id) }),
    ...(removed.length > 0 && { removeLabelIds: removed.map(({ id }) => id) }),
  };
  return { change, outcome };
}
