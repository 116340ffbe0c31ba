/*
 * How values of PostgreSQL's types are read and written. The oids are those of its built-in types, which never change;
 * the driver's own query for arrays is off: each connection would send it, with a promise that nobody handles when it
 * fails.
 */

const identity = <T>(value: T) => value;

/** `2026-03-01 09:00:00.5+00` as PostgreSQL prints it in UTC, to `2026-03-01T09:00:00.500Z`. */
export function instantFromPostgres(text: string): string {
  const zone = text.indexOf('+', 19);
  const fraction = text.slice(20, zone < 0 ? undefined : zone);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`;
}

type Parse = (text: string) => unknown;

/** A quoted element, with what escapes its characters, or a bare one. */
const element = /"((?:[^"\\]|\\.)*)"|([^,{}"]+)/gs;

/** The elements of an array of one dimension, `{1,NULL,"a,b"}`. @throws Error when it has more. */
export function parseArray(text: string, parse: Parse = identity): unknown[] {
  if (!text.startsWith('{') || text.startsWith('{{')) throw new Error('Only arrays of one dimension can be read');
  if (text === '{}') return [];
  const read = (bare: string) => (bare === 'NULL' ? null : parse(bare));
  if (!text.includes('"')) return text.slice(1, -1).split(',').map(read);
  return [...text.matchAll(element)].map(([, quoted, bare]) =>
    quoted === undefined ? read(bare ?? '') : parse(quoted.replace(/\\(.)/gs, '$1')),
  );
}

function quoted(value: unknown): string {
  if (value === null) return 'NULL';
  if (value === undefined) throw new Error('An element of an array is undefined');
  return `"${String(value).replace(/["\\]/g, '\\$&')}"`;
}

/**
 * An array of one dimension as PostgreSQL reads it; a text is taken as it is. @throws Error for an undefined element.
 */
export function serializeArray(values: unknown): string {
  return Array.isArray(values) ? `{${values.map(quoted).join()}}` : String(values);
}

const arrayOf = (oid: number, parse?: Parse) => ({
  to: oid,
  from: [oid],
  serialize: serializeArray,
  parse: (text: string) => parseArray(text, parse),
});

/** The types that statements use; of arrays, only these can be passed and read. */
export const valueTypes = {
  instant: { to: 1184, from: [1184], serialize: identity<string>, parse: instantFromPostgres },
  calendarDate: { to: 1082, from: [1082], serialize: identity<string>, parse: identity<string> },
  json: {
    to: 114,
    from: [114, 3802],
    serialize: (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)),
    parse: (text: string): unknown => JSON.parse(text),
  },
  booleans: arrayOf(1000, (text) => text === 't'),
  names: arrayOf(1003),
  smallints: arrayOf(1005, Number),
  integers: arrayOf(1007, Number),
  texts: arrayOf(1009),
  bigints: arrayOf(1016),
  varchars: arrayOf(1015),
  floats: arrayOf(1022, Number),
  dates: arrayOf(1182),
  instants: arrayOf(1185, instantFromPostgres),
  numerics: arrayOf(1231),
  classes: arrayOf(2210),
  uuids: arrayOf(2951),
};
