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
function best(candidates: readonly Named[], name: string): Named[] {
  const wanted = folded(name.trim());
  const same = candidates.filter((each) => folded(each.name.trim()) === wanted);
  for (const holds of [
    (each: Named) => !each.isArchived && each.name === name,
    (each: Named) => !each.isArchived,
    (each: Named) => each.name === name,
  ]) {
    const found = same.filter(holds);
    if (found.length > 0) return found;
  }
  return same;
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
  const matches = best(candidates, value);
  const [match, second] = matches;
  if (match && !second) return match.id;
  if (match) {
    const allowedValues = matches.slice(0, maxShown).map((each) => each.id);
    throw invalid(param, `The name is not unique. Pass one of the ids in allowedValues instead.`, {
      allowedValues,
    });
  }
  const names = candidates.filter((each) => !each.isArchived).map((each) => each.name);
  const allowedValues = [...new Set(names)].slice(0, maxShown);
  throw invalid(param, `No ${kind} has this name. Pass an id, or one of the names in allowedValues.`, {
    allowedValues,
  });
}
