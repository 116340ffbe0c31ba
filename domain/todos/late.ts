import type { Bindings } from '../../db/bindings.ts';

/** Todos of the assignees, of parents, or due in a range, that are read to sort them. */
const maxSorted = 2000;
/** Ids of todos that are hashed, which PostgreSQL does in 8 MB. */
const maxHashed = 150_000;
/** Todos in the order of a walk whose assignees are looked up before the ids of all assigned todos are hashed. */
const maxProbed = 200;

/** One range of a walk, which an index returns in order, without what is looked up late. */
export interface LateRange {
  /** A number of its own in the statement. */
  place: number;
  /** A query of its first `what` in `source`, `todos t` or like it, that hold `condition`. */
  first: (what: string, source: string, condition?: string) => string;
  /** The columns of the walk, from `t`. */
  columns: string;
  /** The condition of the range, its order, and the bound number of rows of the walk. */
  where: string;
  order: string;
  limit: string;
}

/** A filter that is looked up late: the common table expressions, and the branches that read a range. */
export interface Late {
  before: string[];
  branchesOf(range: LateRange): string[];
}

const byId = (id: string) =>
  `cross join lateral (select * from todos t where t.workspace_id = $1 and t.id = ${id} offset 0)`;

/** A table that links todos to what a filter names by `ids`; its index of each is in the order of creation. */
export interface Link {
  table: 'todo_assignees' | 'todo_labels';
  column: 'assignee_id' | 'label_id';
  ids: readonly string[];
}

/** The condition on the rows `as` of a link table that one of its ids is linked. */
function isLinked({ column, ids }: Link, as: string, bindings: Bindings): string {
  return `${as}.workspace_id = $1 and ${as}.${column} = any(${bindings.bind(ids)}::uuid[])`;
}

/**
 * The todos of assignees, of labels, or of both, and the branches of a range that read them, of which one runs: it sorts
 * few todos, finds those of many by a hash of their ids while walking the index, whose entries are enough for that, and
 * looks each one up where they are too many for a hash. Todos of both links are those of the first that are in a hash of
 * the second. `offset 0` and `is true` keep the planner from joins, whose order depends on estimates.
 */
export function lateLinked([first, second]: readonly [Link, Link | undefined], bindings: Bindings): Late {
  const [isTheirs, count] = [isLinked(first, 'a', bindings), '(select count(*) from theirs)'];
  const others: string[] = [];
  const isIn = (table: string, is: string, of: string, id: string) =>
    `exists (select from ${table} where ${is} and b.created_at = ${of}.created_at and b.todo_id = ${of}.${id} offset 0)`;
  const isOne = [isIn(`${first.table} b`, isLinked(first, 'b', bindings), 't', 'id')];
  let isBoth = 'true';
  if (second) {
    const [table, isOther] = [`${second.table} b`, isLinked(second, 'b', bindings)];
    others.push(`others as materialized (select b.todo_id from ${table} where ${isOther} limit ${maxHashed + 1})`);
    isBoth = `case when (select count(*) from others) <= ${maxHashed}
      then (a.todo_id in (select todo_id from others)) is true else ${isIn(table, isOther, 'a', 'todo_id')} end`;
    isOne.push(isIn(table, isOther, 't', 'id'));
  }
  const many = [
    `${count} between ${maxSorted + 1} and ${maxHashed} and (t.id in (select todo_id from theirs)) is true`,
    `${count} > ${maxHashed} and ${isOne.join(' and ')}`,
  ];
  return {
    before: [
      ...others,
      `theirs as materialized (
        select a.todo_id from ${first.table} a where ${isTheirs} and ${isBoth} limit ${maxHashed + 1})`,
      `few as materialized (select c.* from (
        select distinct todo_id from theirs where ${count} <= ${maxSorted}) f ${byId('f.todo_id')} c)`,
    ],
    branchesOf: ({ first: firstOf, columns }) => [
      firstOf(columns, 'few t'),
      ...many.map(
        (condition) => `(select ${columns} from ${firstOf('t.id', 'todos t', condition)} o ${byId('o.id')} t)`,
      ),
    ],
  };
}

/**
 * The todos that hold conditions with an index of their own, as those due in a range, and the branches that read them by another sort, of which one runs: it sorts few
 * todos, and walks the index of the sort where they are many. Which of both takes less depends on how many there are,
 * and the planner's estimate of a small range is often several times too high.
 */
export function lateFew(isOne: readonly string[]): Late {
  const count = '(select count(*) from narrow)';
  return {
    before: [
      `narrow as materialized (select t.id from todos t where ${isOne.join(' and ')} limit ${maxSorted + 1})`,
      `few as materialized (select c.* from (
        select id from narrow where ${count} <= ${maxSorted}) f ${byId('f.id')} c)`,
    ],
    branchesOf: ({ first, columns }) => [
      first(columns, 'few t'),
      `(select ${columns} from ${first('t.id', 'todos t', `${count} > ${maxSorted}`)} o ${byId('o.id')} t)`,
    ],
  };
}

/**
 * The todos of nobody, and the branches of a range that read them, of which one runs: it looks up the assignees of the
 * first todos of the range, which is enough where todos of nobody are not rare among these. Else it finds the others by
 * a hash of the ids of all assigned todos while walking the index, and looks each one up where they are too many for a
 * hash.
 */
export function lateUnassigned(): Late {
  const isFree = `not exists (
    select from todo_assignees a where a.workspace_id = $1 and a.todo_id = t.id offset 0)`;
  const count = '(select count(*) from taken)';
  const before = [
    `taken as materialized (select todo_id from todo_assignees where workspace_id = $1 limit ${maxHashed + 1})`,
  ];
  return {
    before,
    branchesOf: ({ place, first, columns, where, order, limit }) => {
      const [near, short] = [`near_${place}`, `(select is_short from short_${place})`];
      before.push(
        `${near} as materialized (select t.id from (
          select * from todos t where ${where} order by ${order} limit ${maxProbed}) t
          where ${isFree} order by ${order} limit ${limit})`,
        `short_${place} as materialized (select (select count(*) from ${near}) < ${limit}
          and (select count(*) from (select from todos t where ${where} limit ${maxProbed}) p) = ${maxProbed} as is_short)`,
      );
      const rest = [
        `${short} and ${count} <= ${maxHashed} and (t.id in (select todo_id from taken)) is not true`,
        `${short} and ${count} > ${maxHashed} and ${isFree}`,
      ];
      return [
        `(select ${columns} from ${near} o ${byId('o.id')} t where not ${short})`,
        ...rest.map(
          (condition) => `(select ${columns} from ${first('t.id', 'todos t', condition)} o ${byId('o.id')} t)`,
        ),
      ];
    },
  };
}
