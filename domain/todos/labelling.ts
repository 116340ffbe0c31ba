import type { Db } from '../../db/client.ts';
import { invalid } from '../errors.ts';
import { maxLabelsOfTodo } from '../labels/shapes.ts';
import type { References } from './references.ts';
import type { TodoAnswer, TodoPatch } from './shapes.ts';

/** Which labels a change gives and takes. `only` leaves no other; ids in lower case, each once. */
export interface LabelChange {
  only: boolean;
  add: readonly string[];
  remove: readonly string[];
  /** The path of the labels that are added. */
  param: string;
}

function idsOf(ids: readonly string[] | undefined): string[] {
  return [...new Set(ids)];
}

/**
 * The labels that a patch changes, undefined when it names none. At fault: 404 unknown, 400 when it both replaces and
 * adds, or both adds and removes one.
 */
export async function labelChangeOf(references: References, patch: TodoPatch, at: string) {
  const { labelIds, addLabelIds, removeLabelIds } = patch;
  if ((labelIds ?? addLabelIds ?? removeLabelIds) === undefined) return undefined;
  if (labelIds !== undefined && (addLabelIds ?? removeLabelIds) !== undefined) {
    throw invalid(`${at}labelIds`, 'labelIds replaces all labels: leave out addLabelIds and removeLabelIds.');
  }
  const param = `${at}${labelIds === undefined ? 'addLabelIds' : 'labelIds'}`;
  const [add = []] = await references.labels([labelIds ?? addLabelIds], [param]);
  const remove = idsOf(removeLabelIds);
  const both = remove.findIndex((id) => add.includes(id));
  if (both >= 0) throw invalid(`${at}removeLabelIds[${both}]`, 'This label is in addLabelIds too. Leave one out.');
  return { only: labelIds !== undefined, add, remove, param } satisfies LabelChange;
}

/** The labels of a todo after a change, in no order. */
function labelsAfter({ labels }: TodoAnswer, { only, add, remove }: LabelChange): Set<string> {
  const left = only ? [] : labels.map(({ id }) => id).filter((id) => !remove.includes(id));
  return new Set([...left, ...add]);
}

function differs(todo: TodoAnswer, after: ReadonlySet<string>): boolean {
  return todo.labels.length !== after.size || todo.labels.some(({ id }) => !after.has(id));
}

// A label that is being deleted goes first: else each of the two could wait for the other.
const hold = 'select 1 from labels where workspace_id = $1 and id = any($2::uuid[]) order by id for key share';
const takeOff = `delete from todo_labels where workspace_id = $1 and todo_id = any($2::uuid[])
  and case when $3 then label_id <> all($4::uuid[]) else label_id = any($5::uuid[]) end`;
const putOn = `insert into todo_labels (workspace_id, todo_id, label_id, created_at)
  select $1, t.id, l.id, t.created_at from todos t, unnest($3::uuid[]) l(id)
  where t.workspace_id = $1 and t.id = any($2::uuid[]) on conflict do nothing`;

/**
 * Changes the labels of locked todos; returns the ids of those that have other labels now. Call it in a transaction.
 * @throws Failure 400 when a todo would have too many.
 */
export async function setLabels(
  db: Db,
  workspaceId: string,
  before: readonly TodoAnswer[],
  change: LabelChange,
): Promise<string[]> {
  const after = before.map((todo) => ({ todo, labels: labelsAfter(todo, change) }));
  if (after.some(({ labels }) => labels.size > maxLabelsOfTodo)) {
    const message = `A todo has at most ${maxLabelsOfTodo} labels. Take some off first.`;
    throw invalid(change.param, message);
  }
  const { only, add, remove } = change;
  const touched = after.filter(({ todo, labels }) => differs(todo, labels)).map(({ todo }) => todo.id);
  if (touched.length === 0) return [];
  if (add.length > 0) await db.rows(hold, [workspaceId, add]);
  if (only || remove.length > 0) await db.rows(takeOff, [workspaceId, touched, only, add, remove]);
  if (add.length > 0) await db.rows(putOn, [workspaceId, touched, add]);
  return touched;
}
