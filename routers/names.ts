import { z } from 'zod';
import type { Db } from '../db/client.ts';
import { invalid } from './errors.ts';
import { folded } from './folding.ts';

/** Something that tools accept by name where the API takes its id. */
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
  agent: `${agents} order by name, id`,
  member: `${members} order by name, id`,
  'member or agent': `${members} union all ${agents} order by name, id`,
};

export type NamedKind = keyof typeof queries;

const mostShown = 50;
const idShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An argument of a tool that is an id or a name. */
export const IdOrName = z.string().min(1).max(200);

/** Those that match best: exactly before ignoring case, active before archived. */
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
 * The id that a tool's argument means: an id as it is (whether it exists is the operation's to say), or that of the one
 * thing of this name, ignoring case. @throws Failure 400 with `allowedValues` when none or several have the name.
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
    const allowedValues = matches.slice(0, mostShown).map((each) => each.id);
    throw invalid(param, `Several have this name. Pass the id of one instead; allowedValues has them.`, {
      allowedValues,
    });
  }
  const names = candidates.filter((each) => !each.isArchived).map((each) => each.name);
  const allowedValues = [...new Set(names)].slice(0, mostShown);
  throw invalid(param, `No ${kind} has this name. Pass an id, or one of the names in allowedValues.`, {
    allowedValues,
  });
}
