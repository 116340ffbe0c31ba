import type { Bindings } from '../../db/bindings.ts';

/** Todos of the assignees, of parents, or due in a range, that are read to sort them. */
const maxSorted = 2000;
/** Ids of todos that are hashed, which PostgreSQL does in 8 MB. */
const maxHashed = 150_000;
/** Todos in the order of a walk that are looked up before the ids of all that hold a condition are read. */
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

/** How many rows a common table expression has, counted once for all branches: it may have as many as are hashed. */
const sizeOf = (name: string) => `size as materialized (select count(*) as rows from ${name})`;
const count = '(select rows from size)';

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
 * The todos of assignees, of labels, or of both, and the branches of a range that read them, of which one runs: it
 * sorts few todos, finds those of many by a hash of their ids while walking the index, whose entries are enough for
 * that, and looks each one up where they are too many for a hash. Todos of both links are those of the first that are
 * in a hash of the second. `offset 0` and `is true` keep the planner from joins, whose order depends on estimates.
 */
export function lateLinked([first, second]: readonly [Link, Link | undefined], bindings: Bindings): Late {
  const isTheirs = isLinked(first, 'a', bindings);
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
      sizeOf('theirs'),
      `few as materialized (select c.* from (
        select distinct todo_id from theirs where ${count} <= ${maxSorted}) f ${byId('f.todo_id')} c)`,
    ],
    branchesOf: (range) => [range.first(range.columns, 'few t'), ...many.map((condition) => walked(range, condition))],
  };
}

/**
 * The branches of a range, of which one runs: it reads the first todos of the range where enough of these hold
 * `condition`, which is looked up for each, and `rest` otherwise, whose branches need what `isShort` says. Adds to
 * `before`.
 */
function probed(range: LateRange, before: string[], condition: string, rest: (isShort: string) => string[]): string[] {
  const { place, columns, where, order, limit } = range;
  const [near, isShort] = [`near_${place}`, `(select is_short from short_${place})`];
  before.push(
    `${near} as materialized (select t.id from (
      select * from todos t where ${where} order by ${order} limit ${maxProbed}) t
      where ${condition} order by ${order} limit ${limit})`,
    `short_${place} as materialized (select (select count(*) from ${near}) < ${limit}
      and (select count(*) from (select from todos t where ${where} limit ${maxProbed}) p) = ${maxProbed} as is_short)`,
  );
  return [`(select ${columns} from ${near} o ${byId('o.id')} t where not ${isShort})`, ...rest(isShort)];
}

/** The first todos of a range that hold a condition, for which the entries of the index are enough. */
const walked = ({ first, columns }: LateRange, condition: string) =>
  `(select ${columns} from ${first('t.id', 'todos t', condition)} o ${byId('o.id')} t)`;

/**
 * The todos that hold conditions with an index of their own, as those due in a range, and the branches that read them
 * by another sort, of which one runs: the first of the walk where enough of these are some. Else it sorts few todos,
 * finds those of many by a hash of their ids while walking the index, and looks each one up where they are too many for
 * a hash. The planner's estimate of a small range is often several times too high, and it does not know where in the
 * walk they are.
 */
export function lateNarrow(conditions: readonly string[]): Late {
  const isOne = conditions.join(' and ');
  const before = [
    `narrow as materialized (select t.id from todos t where ${isOne} limit ${maxHashed + 1})`,
    sizeOf('narrow'),
    `few as materialized (select c.* from (
      select id from narrow where ${count} <= ${maxSorted}) f ${byId('f.id')} c)`,
  ];
  return {
    before,
    branchesOf: (range) =>
      probed(range, before, isOne, (isShort) => [
        range.first(range.columns, 'few t', isShort),
        walked(
          range,
          `${isShort} and ${count} between ${maxSorted + 1} and ${maxHashed}
          and (t.id in (select id from narrow)) is true`,
        ),
        walked(range, `${isShort} and ${count} > ${maxHashed} and ${isOne}`),
      ]),
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
  const before = [
    `taken as materialized (select todo_id from todo_assignees where workspace_id = $1 limit ${maxHashed + 1})`,
    sizeOf('taken'),
  ];
  return {
    before,
    branchesOf: (range) =>
      probed(range, before, isFree, (isShort) => [
        walked(range, `${isShort} and ${count} <= ${maxHashed} and (t.id in (select todo_id from taken)) is not true`),
        walked(range, `${isShort} and ${count} > ${maxHashed} and ${isFree}`),
      ]),
  };
}
