import { z } from 'zod';
import type { Operation } from '../../adapters/operations.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A value that the schema accepts, from its examples, defaults and choices; undefined where none can be known. */
function exampleOf(schema: JsonSchema): unknown {
  const { examples, const: only, default: usual, enum: choices, anyOf, oneOf, type, items, properties } = schema;
  if (examples?.[0] !== undefined) return examples[0];
  for (const known of [only, usual, choices?.[0]]) if (known !== undefined) return known;
  const [choice] = anyOf ?? oneOf ?? [];
  if (choice && typeof choice === 'object') return exampleOf(choice);
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return Math.max(1, schema.minimum ?? 1);
  if (type === 'string') return schema.format ? undefined : 'Water the plants';
  if (type === 'array' && items && typeof items === 'object' && !Array.isArray(items)) return [exampleOf(items)];
  if (properties) return objectOf(schema);
  return undefined;
}

/** The required fields of an object schema. */
function objectOf({ properties = {}, required = [] }: JsonSchema, without: readonly string[] = []) {
  const fields = required.filter((name) => !without.includes(name));
  return Object.fromEntries(
    fields.map((name) => {
      const field = properties[name];
      return [name, field && typeof field === 'object' ? exampleOf(field) : undefined];
    }),
  );
}

/**
 * The body of a valid request of a writing operation: its required fields, or one field of a PATCH that requires none.
 * Undefined where the operation takes no body.
 */
export function bodyOf(operation: Operation): Record<string, unknown> | undefined {
  if (operation.method === 'GET' || operation.method === 'DELETE') return undefined;
  const schema: JsonSchema = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' });
  const [choice] = schema.oneOf ?? schema.anyOf ?? [];
  const object = choice && typeof choice === 'object' ? choice : schema;
  const body = objectOf(object, operation.pathParameters);
  if (Object.keys(body).length > 0) return body;
  const fields = Object.entries(object.properties ?? {}).filter(([name]) => !operation.pathParameters.includes(name));
  if (operation.method !== 'PATCH') return undefined;
  const optional = fields.map(([name, field]) => [name, typeof field === 'object' ? exampleOf(field) : undefined]);
  return Object.fromEntries(optional.filter(([, value]) => value !== undefined).slice(0, 1));
}
