import { channel } from 'node:diagnostics_channel';
import type postgres from 'postgres';
import { preparedTexts } from './prepared-texts.ts';
import type { Scope } from './transaction.ts';

/** What runs statements: a connection, or a transaction on it. */
export type Statements = Pick<postgres.Sql, 'unsafe'> | Pick<Scope, 'unsafe'>;

/** Gets the text of each statement of the service, without its values. */
const statementChannel = channel('tandem:statement');

/** Sends a statement, which is prepared when its text is executed repeatedly. */
export function send(connection: Statements, text: string, values: readonly unknown[], texts = preparedTexts) {
  if (statementChannel.hasSubscribers) statementChannel.publish(text);
  return connection.unsafe(text, values as never[], { prepare: texts.execute(text) });
}

type Columns = postgres.ColumnList<string>;
type MakeRow = (values: unknown[]) => object;

/** By the columns of a statement on a connection, and by what they are called. */
const [makers, makersByName] = [new WeakMap<Columns, MakeRow>(), new Map<string, MakeRow>()];

/**
 * What makes rows of these columns: one object literal. The driver would set the columns one after another, which grows
 * and copies each object several times.
 */
function makerOf(columns: Columns): MakeRow {
  const known = makers.get(columns);
  if (known) return known;
  const fields = columns.map(({ name }, place) => `${JSON.stringify(name)}: values[${place}]`).join(', ');
  const make = makersByName.get(fields) ?? (new Function('values', `return { ${fields} };`) as MakeRow);
  makersByName.set(fields, make);
  makers.set(columns, make);
  return make;
}

/** Runs one statement and returns its rows as objects. `texts`: those that are prepared on this server. */
export async function rowsOf<Row>(
  connection: Statements,
  text: string,
  values: readonly unknown[],
  texts = preparedTexts,
): Promise<Row[]> {
  const found = (await send(connection, text, values, texts).values()) as postgres.RowList<unknown[][]>;
  if (found.length === 0) return [];
  const make = makerOf(found.columns);
  const rows = found.map((row) => make(row) as Row);
  // The driver's promise survives collections of young objects, and would keep the rows alive.
  found.length = 0;
  return rows;
}
