import { violatedConstraint } from '../../db/errors.ts';
import { fingerprintOf } from '../canonical-json.ts';
import type { Context } from '../context.ts';
import { conflict, type Failure, invalid } from '../errors.ts';
import { findTodos } from './rows.ts';
import type { NewTodo, TodoAnswer } from './shapes.ts';

/** A todo of the request with its place in it. */
interface Placed {
  todo: NewTodo;
  index: number;
}

const existing = `select id, '\\x' || encode(created_from, 'hex') as origin from todos
  where workspace_id = $1 and id = any($2::uuid[])`;
const erasedIn = (table: 'events' | 'event_queue') => `select object_id as id from ${table}
    where workspace_id = $1 and object_id = any($2::uuid[]) and type = 'todo.deleted'`;
/** On Citus the two are on different nodes: an event is in the log before it leaves the queue. */
const erased = {
  postgres: [`${erasedIn('events')} union all ${erasedIn('event_queue')}`],
  citus: [erasedIn('event_queue'), erasedIn('events')],
};

const taken = 'A todo with this id exists, and was created with other values. Use a new id.';

function refused(param: string, code: 'taken' | 'erased', message: string): Failure {
  return conflict(message, { reason: `id_${code}`, errors: [{ param, code, message }] });
}

/**
 * The creation of todos some of whose ids the client chose. Ids are those of a workspace: one that another workspace
 * has is as unknown as any other.
 */
export class GivenIds {
  readonly #ctx: Context;
  readonly #todos: readonly NewTodo[];
  readonly #pathOf: (index: number) => string;

  /** @throws Failure 400 when an id is given twice. */
  constructor(ctx: Context, todos: readonly NewTodo[], pathOf: (index: number) => string) {
    this.#ctx = ctx;
    this.#todos = todos;
    this.#pathOf = pathOf;
    const seen = new Set<string>();
    for (const [index, { id }] of todos.entries()) {
      if (id === undefined) continue;
      if (seen.has(id)) throw invalid(`${pathOf(index)}id`, 'Another todo of this request has this id.');
      seen.add(id);
    }
  }

  /** What a todo is created with, apart from its id, as `created_from` holds it. */
  static originOf({ id: _, ...todo }: NewTodo): string {
    return `\\x${fingerprintOf(todo).toString('hex')}`;
  }

  /**
   * The todos that exist already, by their ids. @throws Failure 409 when one was created with other values, or erased;
   * what `check` finds wrong with those that do not exist so comes first (CONTRACT §2).
   */
  async #found(check: (placed: readonly Placed[]) => Promise<unknown>): Promise<Map<string, TodoAnswer>> {
    const { db, principal } = this.#ctx;
    const { workspaceId } = principal;
    const ids = this.#todos.flatMap(({ id }) => id ?? []);
    const rows = await db.rows<{ id: string; origin: string | null }>(existing, [workspaceId, ids]);
    const origins = new Map(rows.map(({ id, origin }) => [id, origin]));
    const gone = new Set<string>();
    for (const text of erased[db.engine]) {
      for (const { id } of await db.rows<{ id: string }>(text, [workspaceId, ids])) gone.add(id);
    }
    const placed: Placed[] = [];
    let refusal: Failure | undefined;
    for (const [index, todo] of this.#todos.entries()) {
      const id = todo.id ?? '';
      const isGone = gone.has(id);
      if (!isGone && origins.get(id) === GivenIds.originOf(todo)) continue;
      placed.push({ todo, index });
      const param = `${this.#pathOf(index)}id`;
      if (isGone) refusal ??= refused(param, 'erased', 'The todo with this id was erased. Use a new id.');
      else if (origins.has(id)) refusal ??= refused(param, 'taken', taken);
    }
    if (refusal) {
      await check(placed);
      throw refusal;
    }
    return new Map((await findTodos(db, workspaceId, [...origins.keys()])).map((todo) => [todo.id, todo]));
  }

  /**
   * Creates with `work` those that are missing; returns all in order. A concurrent creation of the same ids goes first.
   * `check` looks up what todos refer to that exist with other values, or did, and those beside them.
   */
  async create(
    work: (tx: Context, missing: readonly Placed[]) => Promise<TodoAnswer[]>,
    check: (placed: readonly Placed[]) => Promise<unknown>,
  ): Promise<TodoAnswer[]> {
    for (;;) {
      const found = await this.#found(check);
      const known = this.#todos.map(({ id }) => found.get(id ?? ''));
      const missing = this.#todos.flatMap((todo, index) => (known[index] ? [] : [{ todo, index }]));
      if (missing.length === 0) this.#ctx.reply.replayed = true;
      const made = missing.length === 0 ? [] : await this.#attempt(missing, work);
      if (!made) continue;
      const places = new Map(missing.map(({ index }, place) => [index, made[place]]));
      return known.flatMap((todo, index) => todo ?? places.get(index) ?? []);
    }
  }

  /** Undefined when one of the ids was taken meanwhile. */
  async #attempt(
    missing: readonly Placed[],
    work: (tx: Context, missing: readonly Placed[]) => Promise<TodoAnswer[]>,
  ): Promise<TodoAnswer[] | undefined> {
    try {
      return await this.#ctx.db.transaction((db) => work({ ...this.#ctx, db }, missing));
    } catch (error) {
      if (violatedConstraint(error) === 'todos_workspace_id_id_pk') return undefined;
      throw error;
    }
  }
}
