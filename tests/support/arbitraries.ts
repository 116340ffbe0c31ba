import fc, { type Arbitrary } from 'fast-check';

/** The part of JSON Schema that zod writes for inputs. */
export interface Schema {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  $defs?: Record<string, Schema>;
}

/** Ids that exist, of the kind that a field of this name takes (`''`: of any). */
export type IdsFor = (name: string) => readonly string[];

export const nastyTexts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00\ud800',
  'ok 👩‍👩‍👧‍👦 \u202e\u200f',
  '\u00a0\ufeff',
  "'; drop table todos; --",
  '%_\\',
  '{{7*7}}<script>',
  '__proto__',
  'null',
  'true',
  '-1',
  '1e999',
  '9'.repeat(400),
  'x'.repeat(501),
  '𝄞'.repeat(5000),
  '0000-00-00',
  '2026-02-30',
  '9999-12-31T23:59:60+15:59',
  '00000000-0000-0000-0000-000000000000',
  'a\u0000',
  'constructor',
  '\u2028\u2029\u0085',
  'e\u0301'.repeat(400),
  '\u0301'.repeat(400),
  'a'.repeat(100_000),
  '<data-0123456789abcdef>',
  '../../etc/passwd',
  "\\'); select pg_sleep(10); --",
  '$\u007bjndi:ldap://127.0.0.1/x}',
  '(a+)+$'.repeat(40),
  'https://127.0.0.1:1/x',
  'ＡＢＣ１２３',
  '٣',
  'İı',
  '\ufdfa'.repeat(100),
];
const nastyNumbers = [0, -0, 1, -1, 0.5, 100, 101, 2 ** 31, 2 ** 53, -(2 ** 53), 2 ** 63, 1e21, 1e308, 5e-324];

const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 2, arbitrary: fc.constantFrom(...nastyTexts) },
);
const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;
/** Anything that JSON can carry. */
export const garbage: Arbitrary<unknown> = fc.oneof(
  anyText,
  fc.constantFrom<unknown>(...nastyNumbers, null, true, false, [], {}),
  fc.double(),
  fc.array(anyText, { maxLength: 5 }),
  fc.dictionary(anyText, anyText, { maxKeys: 4 }),
  fc.constantFrom<unknown>(nested(10), nested(300), Array(200).fill({ id: 'x' })),
);

function knownId(ids: IdsFor, name: string): Arbitrary<string> {
  return fc.tuple(fc.nat(), fc.nat(9)).map(([n, sort]) => {
    // One in ten is of another kind.
    const fitting = ids(sort === 0 ? '' : name);
    return fitting[n % fitting.length] ?? '';
  });
}

const instant = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true });

export function validText(schema: Schema, ids: IdsFor, name = ''): Arbitrary<unknown> {
  const { format, pattern = '', minLength = 0, maxLength = 100 } = schema;
  if (format === 'uuid' || pattern.startsWith('^(me|'))
    return fc.oneof(
      { weight: 8, arbitrary: knownId(ids, name) },
      { weight: 1, arbitrary: format ? fc.uuid() : fc.constant('me') },
    );
  if (format === 'date') return instant.map((date) => date.toISOString().slice(0, 10));
  if (format === 'date-time') {
    const ends = fc.constantFrom('Z', '+02:00', '-11:30', '+23:59', '.123456Z');
    return fc.tuple(instant, ends).map(([date, end]) => date.toISOString().slice(0, 19) + end);
  }
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 40) });
}

/** Values that the schema accepts, but for the rules that JSON Schema cannot express. */
export function validOf(schema: Schema, root: Schema, ids: IdsFor, name = ''): Arbitrary<unknown> {
  const of = (inner: Schema) => validOf(inner, root, ids, name);
  if (schema.$ref !== undefined) return of(root.$defs?.[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if ('const' in schema) return fc.constant(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(of));
  if (schema.allOf?.[0]) return of(schema.allOf[0]);
  if (schema.type === 'string') return validText(schema, ids, name);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'null') return fc.constant(null);
  if (schema.type === 'integer' || schema.type === 'number') {
    const { minimum = -1000, maximum = 1000 } = schema;
    return fc.integer({ min: Math.max(minimum, -(2 ** 31)), max: Math.min(maximum, 2 ** 31 - 1) });
  }
  if (schema.type === 'array') {
    const { minItems = 0, maxItems = 100 } = schema;
    return fc.array(of(schema.items ?? {}), { minLength: minItems, maxLength: Math.min(maxItems, minItems + 4) });
  }
  if (schema.type === 'object') {
    const isRequired = (name: string) => schema.required?.includes(name) ?? false;
    const fields = Object.entries(schema.properties ?? {}).map(([field, inner]) => {
      const absent = { weight: isRequired(field) ? 0 : 3, arbitrary: fc.constant(undefined) };
      // The id of an assignee, and the like, is of the kind that the list holds.
      const value = validOf(inner, root, ids, field === 'id' ? name : field);
      return [field, fc.oneof(absent, { weight: 1, arbitrary: value })] as const;
    });
    const present = ([, value]: [string, unknown]) => value !== undefined;
    return fc
      .record(Object.fromEntries(fields))
      .map((value) => Object.fromEntries(Object.entries(value).filter(present)));
  }
  return garbage;
}

/** What to do to a field, drawn before the value is known. */
export const alter = fc.record({
  how: fc.constantFrom('replace', 'add', 'remove', 'wrap') as Arbitrary<'replace' | 'add' | 'remove' | 'wrap'>,
  at: fc.nat(),
  name: anyText,
  value: garbage,
});

/** Spoils one field somewhere in `value`. */
export function spoiled(
  value: unknown,
  { how, at, name, value: bad }: typeof alter extends Arbitrary<infer It> ? It : never,
): unknown {
  if (typeof value !== 'object' || value === null) return how === 'wrap' ? [value] : bad;
  const keys = Object.keys(value);
  const key = keys[at % (keys.length || 1)];
  const copy: Record<string, unknown> = { ...value };
  if (how === 'add' || key === undefined) Object.defineProperty(copy, name, { value: bad, enumerable: true });
  else if (how === 'remove') delete copy[key];
  else copy[key] = how === 'wrap' ? spoiled(copy[key], { how: 'replace', at, name, value: bad }) : bad;
  return Array.isArray(value) ? Object.values(copy) : copy;
}
