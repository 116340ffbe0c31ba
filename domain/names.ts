import { z } from 'zod';
import type { Db } from '../db/client.ts';
import { invalid } from './errors.ts';
import { folded } from './text.ts';

/** A resource that tools accept by name where the API takes its id. */
interface Named {
  id: string;
  name: string;
  isArchived: boolean;
}

const members = `select m.user_id as id, u.name, false as "isArchived" from members m join users u on u.id = m.user_id
  where m.workspace_id = $1 and m.removed_at is null`;
const agents = `select id, name, archived_at is not null as "isArchived" from agents where workspace_id = $1`;

const queries = {
  'todo list': `select id, name, archived_at is not null as "isArchived" from todo_lists where workspace_id = $1
    order by is_default desc, created_at, id`,
  label: `select id, name, false as "isArchived" from labels where workspace_id = $1 order by key`,
  agent: `${agents} order by name, id`,
  member: `${members} order by name, id`,
  'member or agent': `${members} union all ${agents} order by name, id`,
};

export type NamedKind = keyof typeof queries;

/** Ids or names that an error lists at most. */
const maxShown = 50;
const idShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An argument of a tool that is an id or a name. */
export const IdOrName = z.string().min(1).max(200);

/** The best matches: exact before ignoring case, active before archived. */
function best<Item extends Named>(candidates: readonly Item[], name: string): Item[] {
  const wanted = folded(name.trim());
  const same = candidates.filter((each) => folded(each.name.trim()) === wanted);
  for (const holds of [
    (each: Item) => !each.isArchived && each.name === name,
    (each: Item) => !each.isArchived,
    (each: Item) => each.name === name,
  ]) {
    const found = same.filter(holds);
    if (found.length > 0) return found;
  }
  return same;
}

/**
 * The only resource of this name, or the only one ignoring case; undefined when none has it.
 * @throws Failure 400 with `allowedValues` when several have the name.
 */
export function onlyOf<Item extends Named>(candidates: readonly Item[], name: string, param: string): Item | undefined {
  const [match, ...others] = best(candidates, name);
  if (!match || others.length === 0) return match;
  const allowedValues = [match, ...others].slice(0, maxShown).map((each) => each.id);
  throw invalid(param, `The name is not unique. Pass one of the ids in allowedValues instead.`, { allowedValues });
}

/**
 * The id that a tool's argument names: an id unchanged (the operation checks whether it exists), or the id of the only
 * resource of this name, ignoring case. @throws Failure 400 with `allowedValues` when none or several have the name.
 */
export async function idOf(
  db: Db,
  workspaceId: string,
  kind: NamedKind,
  value: string,
  param: string,
): Promise<string> {
  if (idShape.test(value)) return value.toLowerCase();
  const candidates = await db.rows<Named>(queries[kind], [workspaceId]);
  const match = onlyOf(candidates, value, param);
  if (match) return match.id;
  const names = candidates.filter((each) => !each.isArchived).map((each) => each.name);
  const allowedValues = [...new Set(names)].slice(0, maxShown);
  throw invalid(param, `No ${kind} has this name. Pass an id, or one of the names in allowedValues.`, {
    allowedValues,
  });
}
