import type { callsOf } from './people.ts';
import { pickOf } from './todo-oracle.ts';
import { bodyOf } from './work-fixtures.ts';

/* Random changes of the todos of a workspace, as another client of a person makes them. */

type Call = ReturnType<typeof callsOf>;
type Random = () => number;

/** What todos of a workspace are made of. */
export interface Parts {
  lists: readonly string[];
  labels: readonly string[];
  /** Ids of people and agents. */
  workers: readonly string[];
}

const statuses = ['ready', 'in_progress', 'done'] as const;
const priorities = ['urgent', 'high', 'medium', 'low', null] as const;
export const days = ['2031-03-01', '2031-03-02', '2031-03-09', '2031-04-01'] as const;
export const words = ['alpha', 'bravo', 'charlie', 'delta'] as const;

/** Makes lists, labels and an agent, and 40 todos of them. */
export async function fill(call: Call, userId: string, random: Random): Promise<Parts> {
  const lists: string[] = [bodyOf(await call('GET /todo-lists')).data[0].id];
  const labels: string[] = [];
  for (const name of ['Garden', 'Office']) lists.push(bodyOf(await call('POST /todo-lists', { name }), 201).id);
  for (const name of ['Waiting', 'Later']) labels.push(bodyOf(await call('POST /labels', { name }), 201).id);
  const { id: agent } = bodyOf(await call('POST /agents', { name: 'Researcher' }), 201);
  const parts = { lists, labels, workers: [userId, agent] };
  const data = Array.from({ length: 40 }, () => newTodo(parts, random));
  bodyOf(await call('POST /todos/batch', { data }));
  return parts;
}

const titleOf = (random: Random) => {
  const pick = pickOf(random);
  return `${pick(words)} ${pick(words)} ${Math.floor(random() * 1_000)}`;
};

function newTodo({ lists, labels, workers }: Parts, random: Random) {
  const pick = pickOf(random);
  const priority = pick(priorities);
  return {
    title: titleOf(random),
    todoListId: pick(lists),
    labelIds: random() < 0.5 ? [pick(labels)] : [],
    assignees: random() < 0.7 ? [{ id: pick(workers) }] : [],
    ...(priority !== null && { priority }),
    ...(random() < 0.5 && { dueDate: pick(days) }),
  };
}

/** Makes one random change: of a field, of several todos, or of which there are. Returns it in words. */
export async function changeOne(call: Call, parts: Parts, random: Random): Promise<string> {
  const pick = pickOf(random);
  const { data } = bodyOf(await call('GET /todos?archived=any&limit=100'));
  const { id, isArchived } = pick<{ id: string; isArchived: boolean }>(data);
  const patch = async (change: object) => {
    bodyOf(await call(`PATCH /todos/${id}`, change));
    return `${id}: ${JSON.stringify(change)}`;
  };
  const create = async () => {
    const todo = newTodo(parts, random);
    bodyOf(await call('POST /todos', todo), 201);
    return `create ${JSON.stringify(todo)}`;
  };
  const archive = async () => {
    bodyOf(await call(`DELETE /todos/${id}`));
    return `archive ${id}`;
  };
  const erase = async () => {
    const answer = await call(`DELETE /todos/${id}?permanent=true`);
    // One that an agent has run can only be archived.
    if (answer.status === 409) return archive();
    bodyOf(answer);
    return `erase ${id}`;
  };
  const several = async () => {
    const ids = [...new Set([id, pick<{ id: string }>(data).id])];
    const change = { priority: pick(priorities) };
    bodyOf(await call('POST /todos/bulk', { ids, patch: change }));
    return `${ids}: ${JSON.stringify(change)}`;
  };
  const restore = async () => {
    bodyOf(await call(`POST /todos/${id}/restore`));
    return `restore ${id}`;
  };
  if (isArchived) return restore();
  return pick([
    create,
    () => patch({ status: pick(statuses) }),
    () => patch({ status: pick(statuses) }),
    () => patch({ priority: pick(priorities) }),
    () => patch({ dueDate: random() < 0.3 ? null : pick(days) }),
    () => patch({ title: titleOf(random) }),
    () => patch({ todoListId: pick(parts.lists) }),
    () => patch({ assignees: random() < 0.3 ? [] : [{ id: pick(parts.workers) }] }),
    () => patch({ labelIds: random() < 0.4 ? [] : [pick(parts.labels)] }),
    several,
    archive,
    erase,
  ])();
}
