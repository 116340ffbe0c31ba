import { type Base, type Change, fieldOf } from './merge.ts';
import type { Refusal } from './send.ts';
import { changeIn, concerns, fieldsIn, type Write } from './write.ts';

/* Writes that go on from others, and those that a person has to decide about. */

/** The base of a later write, with these fields as they are in `from`. */
export function rebased(write: Write, from: Base, fields: readonly (keyof Change)[]): Base {
  const own = fieldsIn(write).filter((field) => fields.includes(field));
  const values = own.map((field) => [field, field === 'assignees' ? from.assignees : fieldOf(from, field)]);
  return { ...write.base, ...Object.fromEntries(values) };
}

/** The part of a write that a person has to decide about. */
export function parkedOf(write: Write, { change, theirs }: Refusal, id: string): Write {
  const before = write.todos.find((todo) => todo.id === theirs.id) ?? theirs;
  return {
    ...write,
    id,
    action: { operation: 'update', change },
    todos: [before],
    shows: {},
    base: write.base ?? before,
    known: null,
    sentAt: null,
    state: 'conflict',
    problem: null,
    theirs,
  };
}

/** The conflicts of a todo, field by field, as a person decides them. */
export function conflictsOf(writes: readonly Write[], todoId: string) {
  return writes.flatMap((write) => {
    const { state, theirs } = write;
    if (state !== 'conflict' || theirs === null || !concerns(write, todoId)) return [];
    const change = changeIn(write);
    return fieldsIn(write).map((field) => ({
      id: write.id,
      field,
      mine: { [field]: change[field] } as Change,
      current: theirs,
    }));
  });
}
