import type { Db } from '../../db/client.ts';
import { type Failure, invalid, notFound } from '../errors.ts';
import { folded } from '../text.ts';
import type { Viewer } from './filter.ts';
import { me } from './shapes.ts';

/** An assignee of a row: one of the two ids is set. */
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

/** Lists that are not archived. */
interface OpenLists {
  names: string[];
  byName: Map<string, ListFacts[]>;
  byFoldedName: Map<string, ListFacts[]>;
}

interface AssigneeFacts {
  id: string;
  type: 'user' | 'agent';
  isArchived: boolean;
}

const lists = `select id, name, archived_at is not null as "isArchived" from todo_lists
  where workspace_id = $1 order by is_default desc, created_at, id`;
const captures = 'select id from captures where workspace_id = $1 and id = any($2::uuid[])';
const labels = 'select id from labels where workspace_id = $1 and id = any($2::uuid[])';
const candidates = `select user_id as id, 'user' as type, false as "isArchived" from members
    where workspace_id = $1 and user_id = any($2::uuid[]) and removed_at is null
  union all select id, 'agent', archived_at is not null from agents where workspace_id = $1 and id = any($2::uuid[])`;

/**
 * The resources that todos may refer to in one workspace, looked up once for a whole batch and only where a todo refers
 * to one. Faults are collected, so that `requireSound` can report an invalid reference before an unknown one.
 */
export class References {
  readonly #db: Db;
  readonly #workspaceId: string;
  readonly #userId: string;
  readonly #faults: Failure[] = [];
  #lists: Promise<ListFacts[]> | undefined;
  #open: Promise<OpenLists> | undefined;

  /** `viewer` has the workspace, and the user that `me` is. */
  constructor(db: Db, { workspaceId, userId }: Viewer) {
    this.#db = db;
    this.#workspaceId = workspaceId;
    this.#userId = userId;
  }

  #assigneeId({ id }: AssigneeRequest): string {
    return id === me ? this.#userId : id;
  }

  #allLists(): Promise<ListFacts[]> {
    this.#lists ??= this.#db.rows<ListFacts>(lists, [this.#workspaceId]);
    return this.#lists;
  }

  async #readOpenLists(): Promise<OpenLists> {
    const open = (await this.#allLists()).filter((each) => !each.isArchived);
    const byName = Map.groupBy(open, ({ name }) => name);
    const byFoldedName = Map.groupBy(open, ({ name }) => folded(name));
    return { names: open.map(({ name }) => name), byName, byFoldedName };
  }

  /** Folded once for a whole batch: a workspace may have many lists. */
  #openLists(): Promise<OpenLists> {
    this.#open ??= this.#readOpenLists();
    return this.#open;
  }

  /** Notes a fault, also of a reference that is looked up elsewhere. */
  fault(failure: Failure): null {
    this.#faults.push(failure);
    return null;
  }

  /** Call it before the references are used. @throws Failure 400, else 404: the first fault found (CONTRACT §2). */
  requireSound(): void {
    const fault = this.#faults.find((each) => each.problem.status === 400) ?? this.#faults[0];
    if (fault) throw fault;
  }

  /** The list of this id, to file into. At fault: 404 unknown, 400 archived. */
  async listById(id: string, param: string): Promise<string | null> {
    const list = (await this.#allLists()).find((each) => each.id === id);
    if (!list) return this.fault(notFound('todo list', param));
    if (!list.isArchived) return list.id;
    return this.fault(invalid(param, `The list “${list.name}” is archived. Restore it first, or choose another.`));
  }

  /** The list of this name: exactly, else ignoring case. At fault: 400 when none or several match. */
  async listByName(name: string, param: string): Promise<string | null> {
    const { names: allowedValues, byName, byFoldedName } = await this.#openLists();
    const matches = byName.get(name) ?? byFoldedName.get(folded(name)) ?? [];
    const [match, second] = matches;
    if (match && !second) return match.id;
    if (match) {
      const message = 'Several lists have this name. Pass the id of one as todoListId.';
      return this.fault(invalid(param, message, { allowedValues: matches.map((each) => each.id) }));
    }
    const message = `No list has this name. Existing lists: ${allowedValues.slice(0, 50).join(', ')}.`;
    return this.fault(invalid(param, message, { allowedValues }));
  }

  /**
   * The assignees of each request, in order, repeated ids once; `params[i]` is the path of `requests[i]`. At fault:
   * 404 unknown here, 400 archived agent.
   */
  async assignees(requests: readonly (readonly AssigneeRequest[])[], params: readonly string[]): Promise<Assigned[][]> {
    const ids = [...new Set(requests.flat().map((each) => this.#assigneeId(each)))];
    const rows = ids.length === 0 ? [] : await this.#db.rows<AssigneeFacts>(candidates, [this.#workspaceId, ids]);
    const known = new Map(rows.map((row) => [row.id, row]));
    return requests.map((request, index) => {
      const chosen = new Map<string, Assigned>();
      for (const [place, each] of request.entries()) {
        const { type } = each;
        const param = `${params[index]}[${place}].id`;
        const found = known.get(this.#assigneeId(each));
        if (!found || (type !== undefined && type !== found.type)) {
          this.fault(notFound(type ?? 'member or agent', param));
        } else if (found.isArchived) {
          this.fault(invalid(param, 'This agent is archived. Restore it first, or choose another.'));
        } else {
          const isUser = found.type === 'user';
          chosen.set(found.id, { user: isUser ? found.id : null, agent: isUser ? null : found.id });
        }
      }
      return [...chosen.values()];
    });
  }

  /**
   * The capture that each request links to, null where it names none; `params[i]` is the path of `requests[i]`. At
   * fault: 404 unknown here.
   */
  async captures(requests: readonly (string | undefined)[], params: readonly string[]): Promise<(string | null)[]> {
    const ids = [...new Set(requests.flatMap((id) => id ?? []))];
    const rows = ids.length === 0 ? [] : await this.#db.rows<{ id: string }>(captures, [this.#workspaceId, ids]);
    const known = new Set(rows.map(({ id }) => id));
    return requests.map((id, index) => {
      if (id === undefined) return null;
      return known.has(id) ? id : this.fault(notFound('capture', params[index] ?? 'captureId'));
    });
  }

  /**
   * The labels of each request, repeated ids once; `params[i]` is the path of `requests[i]`. At fault: 404 unknown
   * here.
   */
  async labels(requests: readonly (readonly string[] | undefined)[], params: readonly string[]): Promise<string[][]> {
    const wanted = requests.map((request) => request ?? []);
    const ids = [...new Set(wanted.flat())];
    const rows = ids.length === 0 ? [] : await this.#db.rows<{ id: string }>(labels, [this.#workspaceId, ids]);
    const known = new Set(rows.map(({ id }) => id));
    return wanted.map((request, index) => {
      const missing = request.findIndex((id) => !known.has(id));
      if (missing >= 0) this.fault(notFound('label', `${params[index]}[${missing}]`));
      return [...new Set(request)];
    });
  }

  /** The agent that a run at creation starts: the first of those assigned. At fault: 400 when only people are named. */
  worker(request: readonly AssigneeRequest[], assigned: readonly Assigned[], param: string): string | null {
    const first = assigned.find((each) => each.agent !== null);
    const named = new Set(request.map((each) => this.#assigneeId(each)));
    if (first || assigned.length < named.size) return first?.agent ?? null;
    return this.fault(invalid(param, 'A run needs an agent among the assignees. Assign one, or leave run out.'));
  }
}
