import { createHash } from 'node:crypto';
import { getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import * as schema from './schema/index.ts';

/** The tables of the service. */
export const tableNames: ReadonlySet<string> = new Set(
  Object.values(schema)
    .filter((each) => is(each, PgTable))
    .map((table) => getTableName(table as PgTable)),
);

/** Names that are remembered, by the text. */
const maxNames = 2000;
const names = new Map<string, string>();

/** Tables that a name has at most. */
const maxTables = 3;
/** Hexadecimal digits of the hash in a name. */
const hashDigits = 8;

/** What only looks like a change: locks of a select, the other branch of an insert, the name of a savepoint. */
const noChanges = /\bfor (no key )?update\b|\bdo update\b/g;

const changed = /\b(?:insert into|update|delete from) "?([a-z_]+)/g;

/**
 * A name of a statement for logs and traces, as `update todos members #5f0c2a91`: what it does, the first tables that
 * it changes or else reads, and a hash of the text, which distinguishes statements on the same tables. It holds nothing
 * else of the text.
 */
export function statementName(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const lower = text.toLowerCase().replace(noChanges, '');
  const [verb = 'statement'] = /\b(insert|update|delete)\b/.exec(lower) ?? /\b[a-z]+\b/.exec(lower) ?? [];
  const [first = ''] = /[a-z]+/.exec(lower) ?? [];
  const named = [...Array.from(lower.matchAll(changed), ([, table = '']) => table), ...(lower.match(/[a-z_]+/g) ?? [])];
  const tables = new Set(named.filter((word) => tableNames.has(word)));
  const hash = createHash('sha256').update(text).digest('hex').slice(0, hashDigits);
  const isWork = tables.size > 0 || /^(with|select|insert|update|delete)$/.test(first);
  const does = verb === 'with' ? 'select' : verb;
  const name = isWork ? [does, ...[...tables].slice(0, maxTables), `#${hash}`].join(' ') : first || 'statement';
  if (names.size === maxNames) names.clear();
  names.set(text, name);
  return name;
}
