import { ProblemError } from '../api/problem.ts';
import { headed, labelOf, longFields } from './effect.ts';
import { argumentsOf, isId } from './subject.ts';

/* The form of the arguments of a tool, made of their JSON Schema, and the arguments that are filled in. */

/** The part of JSON Schema that the arguments of tools use. */
export interface Schema {
  type?: string;
  description?: string;
  format?: string;
  enum?: readonly unknown[];
  const?: unknown;
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
}

/** One field of the form. `lines`: one value a line. `json`: anything else. */
export interface EditField {
  name: string;
  label: string;
  hint: string | undefined;
  kind: 'line' | 'text' | 'number' | 'date' | 'choice' | 'lines' | 'json';
  options: readonly { id: string; label: string }[];
  isRequired: boolean;
  /** Whether the agent gave a value. */
  isGiven: boolean;
  value: string;
}

const unset = { id: '', label: 'Not set' };

function isLines(schema: Schema, value: unknown): boolean {
  const takesTexts = schema.type === 'array' && schema.items?.type === 'string';
  return (
    takesTexts && (value === undefined || (Array.isArray(value) && value.every((each) => typeof each === 'string')))
  );
}

function kindOf(name: string, schema: Schema, value: unknown): EditField['kind'] {
  if (isLines(schema, value)) return 'lines';
  if (value !== undefined && typeof value === 'object') return 'json';
  if (schema.type === 'boolean' || schema.enum) return 'choice';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type !== 'string') return 'json';
  if (schema.format === 'date') return 'date';
  return longFields.includes(name) ? 'text' : 'line';
}

function optionsOf(schema: Schema): { id: string; label: string }[] {
  if (schema.enum) return schema.enum.map((each) => ({ id: String(each), label: String(each).replaceAll('_', ' ') }));
  const values = schema.const === undefined ? [true, false] : [schema.const];
  return values.map((each) => ({ id: String(each), label: each === true ? 'Yes' : 'No' }));
}

function shownIn(kind: EditField['kind'], value: unknown): string {
  if (value === undefined) return '';
  if (kind === 'lines') return (value as string[]).join('\n');
  return kind === 'json' ? JSON.stringify(value, null, 2) : String(value);
}

/** The list that an argument names by its id or its name. */
function listIn(value: unknown, lists: readonly { id: string; name: string }[]): string {
  const named = String(value ?? '');
  return lists.find(({ id, name }) => id === named || name.toLowerCase() === named.toLowerCase())?.id ?? named;
}

/**
 * The fields of a form for `input`, those that the agent gave first. Ids of what the call is about are left out:
 * another one would be another request.
 */
export function editFieldsOf(
  schema: Schema,
  input: unknown,
  lists: readonly { id: string; name: string }[],
): EditField[] {
  const given = argumentsOf(input);
  const fields = Object.entries(schema.properties ?? {})
    .filter(([name]) => name === 'todoListId' || !isId(given[name]))
    .map(([name, property]): EditField => {
      const value = given[name];
      const isList = name === 'todoListId';
      const kind = isList ? 'choice' : kindOf(name, property, value);
      const shown = isList ? listIn(value, lists) : shownIn(kind, value);
      const options = isList ? lists.map(({ id, name: label }) => ({ id, label })) : optionsOf(property);
      const other = shown !== '' && !options.some(({ id }) => id === shown) ? [{ id: shown, label: shown }] : [];
      const isRequired = schema.required?.includes(name) ?? false;
      return {
        name,
        label: headed(labelOf(name)),
        hint: kind === 'choice' ? undefined : property.description,
        kind,
        options: kind === 'choice' ? [...(isRequired ? [] : [unset]), ...options, ...other] : [],
        isRequired,
        isGiven: value !== undefined,
        value: shown,
      };
    });
  return fields.sort((a, b) => Number(b.isGiven) - Number(a.isGiven));
}

function parse({ kind, label }: EditField, text: string): unknown {
  if (kind === 'lines') return text.split('\n').filter((line) => line.trim() !== '');
  if (kind === 'choice' && (text === 'true' || text === 'false')) return text === 'true';
  if (kind === 'number') {
    if (Number.isFinite(Number(text))) return Number(text);
    throw new Error(`${label} must be a number, such as 2.`);
  }
  if (kind !== 'json') return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${label} must be JSON, such as ["a", "b"] or {"name": "value"}. Texts need double quotes.`);
  }
}

/**
 * The arguments as they were filled in: a field that was not changed stays as the agent gave it, and an emptied one is
 * left out. @throws ProblemError 400 with an error for each field that cannot be read.
 */
export function inputFrom(
  fields: readonly EditField[],
  filled: (name: string) => string,
  input: unknown,
): Record<string, unknown> {
  const result = { ...argumentsOf(input) };
  const errors: { param: string; message: string }[] = [];
  for (const field of fields) {
    const text = filled(field.name).replaceAll('\r\n', '\n');
    if (text === field.value) continue;
    if (text.trim() === '') {
      delete result[field.name];
      continue;
    }
    try {
      result[field.name] = parse(field, text);
    } catch (error) {
      errors.push({ param: field.name, message: error instanceof Error ? error.message : String(error) });
    }
  }
  if (errors.length === 0) return result;
  const message = errors[0]?.message ?? '';
  throw new ProblemError({ status: 400, code: 'validation_failed', message, retryable: false, errors });
}

/** An error of the service about an edited input, with the names of the fields of the form. */
export function atFields(error: ProblemError['problem']): ProblemError {
  const errors = error.errors.map(({ param, message }) => ({
    param: param?.replace(/^input\.?/, '').split(/[.[]/)[0] || null,
    message,
  }));
  return new ProblemError({ ...error, errors });
}
