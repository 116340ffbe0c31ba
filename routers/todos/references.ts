import type { Db } from '../../db/client.ts';
import { invalid, notFound } from '../errors.ts';
import { folded } from './search.ts';

/** An assignee as a row takes it: one of the two ids is set. */
export interface Assigned {
  user: string | null;
  agent: string | null;
}

interface AssigneeRequest {
  id: string;
  type?: 'user' | 'agent' | undefined;
}

interface ListFacts {
  id: string;
  name: string;
  isArchived: boolean;
}

interface AssigneeFacts {
  id: string;
  type: 'user' | 'agent';
  isArchived: boolean;
}

const lists = `select id, name, archived_at is not null as "isArchived" from todo_lists
  where workspace_id = $1 order by is_default desc, created_at, id`;
const candidates = `select user_id as id, 'user' as type, false as "isArchived" from members
    where workspace_id = $1 and user_id = any($2::uuid[]) and removed_at is null
  union all select id, 'agent', archived_at is not null from agents where workspace_id = $1 and id = any($2::uuid[])`;

/** What todos may refer to in one workspace, looked up once for a whole batch and only where something refers. */
export class References {
  readonly #db: Db;
  readonly #workspaceId: string;
  #lists: Promise<ListFacts[]> | undefined;

  constructor(db: Db, workspaceId: string) {
    this.#db = db;
    this.#workspaceId = workspaceId;
  }

  #allLists(): Promise<ListFacts[]> {
    this.#lists ??= this.#db.rows<ListFacts>(lists, [this.#workspaceId]);
    return this.#lists;
  }

  /** The list of this id, to file into. @throws Failure 404 unknown, 400 archived. */
  async listById(id: string, param: string): Promise<string> {
    const list = (await this.#allLists()).find((each) => each.id === id.toLowerCase());
    if (!list) throw notFound('todo list', param);
    if (list.isArchived)
      throw invalid(param, `The list “${list.name}” is archived. Restore it first, or choose another.`);
    return list.id;
  }

  /** The list of this name: exactly, else ignoring case. @throws Failure 400 when none or several match. */
  async listByName(name: string, param: string): Promise<string> {
    const open = (await this.#allLists()).filter((each) => !each.isArchived);
    const exact = open.filter((each) => each.name === name);
    const matches = exact.length > 0 ? exact : open.filter((each) => folded(each.name) === folded(name));
    const [match, second] = matches;
    if (match && !second) return match.id;
    if (match) {
      const allowedValues = matches.map((each) => each.id);
      throw invalid(param, 'Several lists have this name. Pass the id of one as todoListId.', { allowedValues });
    }
    const allowedValues = open.map((each) => each.name);
    throw invalid(param, `No list has this name. There are: ${allowedValues.slice(0, 50).join(', ')}.`, {
      allowedValues,
    });
  }

  /**
   * The assignees of each request, in order, repeated ids once; `params[i]` is the path of `requests[i]`.
   * @throws Failure 404 unknown here, 400 archived agent.
   */
  async assignees(requests: readonly (readonly AssigneeRequest[])[], params: readonly string[]): Promise<Assigned[][]> {
    const ids = [...new Set(requests.flat().map((each) => each.id.toLowerCase()))];
    const rows = ids.length === 0 ? [] : await this.#db.rows<AssigneeFacts>(candidates, [this.#workspaceId, ids]);
    const known = new Map(rows.map((row) => [row.id, row]));
    return requests.map((request, index) => {
      const chosen = new Map<string, Assigned>();
      for (const [place, { id, type }] of request.entries()) {
        const param = `${params[index]}[${place}].id`;
        const found = known.get(id.toLowerCase());
        if (!found || (type !== undefined && type !== found.type)) throw notFound(type ?? 'member or agent', param);
        if (found.isArchived) throw invalid(param, 'This agent is archived. Restore it first, or choose another.');
        chosen.set(found.id, found.type === 'user' ? { user: found.id, agent: null } : { user: null, agent: found.id });
      }
      return [...chosen.values()];
    });
  }
}
