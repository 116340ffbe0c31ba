/*
 * A reference table is whole on every node. The coordinator's copy is a table of its own, which Citus changes in the
 * transaction of each change. A statement that only reads such tables, and tables of the coordinator, can name the
 * copies: then PostgreSQL plans and runs it alone.
 */

/** What runs a statement. */
type Run = <Row extends object>(text: string, values: readonly unknown[]) => Promise<Row[]>;

const find = `select s.logicalrelid::text as name, s.shardid::text as shard
  from pg_dist_shard s join pg_dist_placement p on p.shardid = s.shardid
  where p.groupid = 0 and s.logicalrelid = any($1::text[]::regclass[])`;

/**
 * The text with the coordinator's copies in place of these reference tables, each behind `from` or `join`.
 * @throws Error when the coordinator does not have one of them.
 */
export async function onCopies(run: Run, text: string, tables: readonly string[]): Promise<string> {
  const copies = await run<{ name: string; shard: string }>(find, [tables]);
  const shards = new Map(copies.map(({ name, shard }) => [name, shard]));
  return text.replace(new RegExp(`\\b(from|join) (${tables.join('|')})\\b`, 'g'), (_, before, name) => {
    const shard = shards.get(name);
    if (shard === undefined) throw new Error(`The coordinator has no copy of the table ${name}`);
    return `${before} ${name}_${shard}`;
  });
}
