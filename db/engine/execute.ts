import type postgres from 'postgres';
import { setLocal } from './local-settings.ts';
import type { Step } from './steps.ts';

type Columns = postgres.ColumnList<string>;

/** The rows of a statement as arrays, with what its columns are. */
export type Rows = unknown[][] & { columns: Columns };

/** Sends one statement; `isRepeated`: its text comes again. */
export type SendStep = (text: string, values: readonly unknown[], isRepeated: boolean) => Promise<Rows>;

/** Names of types by their numbers (`select oid, typname from pg_type`), which no release of PostgreSQL changes. */
const typeNames: Readonly<Record<number, string>> = {
  16: 'bool',
  17: 'bytea',
  20: 'int8',
  21: 'int2',
  23: 'int4',
  25: 'text',
  114: 'json',
  700: 'float4',
  701: 'float8',
  705: 'text',
  1005: 'int2[]',
  1007: 'int4[]',
  1009: 'text[]',
  1016: 'int8[]',
  1043: 'varchar',
  1082: 'date',
  1083: 'time',
  1114: 'timestamp',
  1182: 'date[]',
  1184: 'timestamptz',
  1185: 'timestamptz[]',
  1186: 'interval',
  1700: 'numeric',
  2278: 'text',
  2950: 'uuid',
  2951: 'uuid[]',
  3802: 'jsonb',
  5069: 'xid8',
};

function typeName({ name, type }: { name: string; type: number }): string {
  const known = typeNames[type];
  if (known === undefined)
    throw new Error(`The column ${name} has a type that is not carried between statements: ${type}`);
  return known;
}

/** Values of rows as JSON that PostgreSQL reads back. */
function carried(value: unknown): unknown {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return value;
}

function recordset(name: string, names: string, rows: Rows, parameter: string): string {
  const { columns } = rows;
  const given = names === '' ? [] : names.slice(1, -1).split(',');
  if (columns.length === 0) {
    return `${name} as materialized (select from generate_series(1, jsonb_array_length(${parameter}::jsonb)))`;
  }
  const shape = columns
    .map((column, place) => `"${(given[place] ?? column.name).trim().replaceAll('"', '')}" ${typeName(column)}`)
    .join(', ');
  return `${name} as materialized (select * from jsonb_to_recordset(${parameter}::jsonb) as r(${shape}))`;
}

function json(columns: Columns, names: string, rows: readonly unknown[][]): string {
  const given = names === '' ? [] : names.slice(1, -1).split(',');
  const keys = columns.map(({ name }, place) => (given[place] ?? name).trim().replaceAll('"', ''));
  return JSON.stringify(rows.map((row) => Object.fromEntries(keys.map((key, place) => [key, carried(row[place])]))));
}

/** A statement with only those values that its text names, numbered anew. */
class Renumbered {
  readonly values: unknown[] = [];
  readonly #places = new Map<number, number>();

  text(text: string, values: readonly unknown[]): string {
    return text.replace(/\$(\d+)/g, (_, digits) => {
      const place = Number(digits);
      let own = this.#places.get(place);
      if (own === undefined) {
        own = this.values.push(values[place - 1]);
        this.#places.set(place, own);
      }
      return `$${own}`;
    });
  }

  bind(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

/** Instants by the expressions in the text. */
type Instants = ReadonlyMap<string, unknown>;

interface Result {
  columns: string;
  rows: Rows;
}

function textOf(step: Step, values: readonly unknown[], results: ReadonlyMap<string, Result>, instants?: Instants) {
  const bound = new Renumbered();
  let text = bound.text(step.text, values);
  for (const expression of instants ? instantsIn(step.text) : []) {
    // In the text: Citus gives ON CONFLICT all parameters, and refuses those that are not in it.
    text = text.replaceAll(expression, `'${instants?.get(expression)}'::timestamptz`);
  }
  const taken = step.takes.flatMap((name) => {
    const result = results.get(name);
    if (!result) return [];
    const { columns, rows } = result;
    const parameter = bound.bind(json(rows.columns, columns, rows));
    return [recordset(name, columns, rows, parameter)];
  });
  if (taken.length === 0) return { text, values: bound.values };
  const rest = /^\s*with\s+(recursive\s+)?/i.exec(text);
  const whole = rest
    ? `with ${rest[1] ?? ''}${taken.join(', ')}, ${text.slice(rest[0].length)}`
    : `with ${taken.join(', ')} ${text}`;
  return { text: whole, values: bound.values };
}

/**
 * Sends a statement in steps, in one transaction: the rows of each are given to those that read them, so that what
 * Citus does not run in one statement (inserts in a `with` list, local tables beside distributed ones) runs in several.
 * Returns the rows of the last.
 */
export async function runSteps(steps: readonly Step[], values: readonly unknown[], send: SendStep): Promise<Rows> {
  const results = new Map<string, Result>();
  let rows = Object.assign([], { columns: [] as unknown as Columns }) as unknown as Rows;
  for (const step of steps) {
    for (const setting of step.before) await send(setLocal(setting, values), [], false);
    const sent = textOf(step, values, results, step.needsNow ? await instantsOf(step, send) : undefined);
    rows = await send(sent.text, sent.values, !step.needsNow);
    for (const setting of step.after) await send(setLocal(setting, values), [], false);
    if (step.name !== undefined) results.set(step.name, { columns: step.columns, rows });
  }
  return rows;
}

/** The expressions of instants in a text, the longer ones first. */
function instantsIn(text: string): string[] {
  const found = text.match(/\b(?:now|clock_timestamp)\(\)(?:\s*[-+]\s*interval\s*'[^']*')?/gi) ?? [];
  return [...new Set(found)].sort((a, b) => b.length - a.length);
}

/** These instants, as the coordinator has them. */
async function instantsOf({ text }: Step, send: SendStep): Promise<Instants> {
  const expressions = instantsIn(text);
  const [row] = await send(`select ${expressions.map((each) => `(${each})::text`).join(', ')}`, [], true);
  return new Map(expressions.map((each, place) => [each, row?.[place]]));
}
