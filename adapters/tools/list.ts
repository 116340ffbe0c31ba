import { z } from 'zod';
import { type RouterLike, type Tool, toolsOf } from '../operations.ts';

type Json = Record<string, unknown>;

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Json & { type: 'object' };
  annotations: { readOnlyHint: boolean; destructiveHint: false; idempotentHint?: true; openWorldHint: false };
}

/** Drops what a model pays for and does not need: see each line. */
function trim({ jsonSchema }: { jsonSchema: Json }): void {
  if ('format' in jsonSchema) delete jsonSchema.pattern; // The format implies it.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum; // The bounds of every z.int().
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  delete jsonSchema.minLength; // No model counts characters; a text that is refused names its limit.
  delete jsonSchema.maxLength;
  delete jsonSchema.default; // Strict modes refuse it; the description says what an omitted argument means.
  delete jsonSchema.examples;
  delete jsonSchema.id; // A component of the REST document.
}

/** The schema with every `$ref` to its own `$defs` replaced by what it names. */
function inlined(value: unknown, definitions: Json): unknown {
  if (Array.isArray(value)) return value.map((each) => inlined(each, definitions));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, $defs: _, ...rest } = value as Json;
  const named = typeof $ref === 'string' ? definitions[$ref.replace('#/$defs/', '')] : undefined;
  const entries = Object.entries({ ...(named as Json | undefined), ...rest });
  return Object.fromEntries(entries.map(([key, each]) => [key, inlined(each, definitions)]));
}

/** The schema of an argument that may be left out, without its null. */
function withoutNull(schema: Json): Json {
  const { anyOf, type, ...rest } = schema;
  if (Array.isArray(type)) return { type: type.find((each) => each !== 'null'), ...rest };
  if (!Array.isArray(anyOf)) return schema;
  const others = anyOf.filter((each) => each.type !== 'null');
  return others.length === 1 ? { ...others[0], ...rest } : { ...rest, anyOf: others };
}

/**
 * The schema without null for arguments that may be left out, at any depth. The strict modes of providers make every
 * argument required and let the model write null for "leave it out"; if null were listed, it would clear a field that
 * nobody named. Tools have `clear` for that. Null from other clients still clears, as in the API.
 */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, withoutNulls(each)] as const);
  const schema: Json = Object.fromEntries(entries);
  const { properties, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] };
  if (schema.type !== 'object' || !properties) return schema;
  const listed = Object.entries(properties).map(([name, each]) => [
    name,
    required.includes(name) ? each : withoutNull(each),
  ]);
  return { ...schema, properties: Object.fromEntries(listed) };
}

/** Each is listed by MCP and shown to the models of agents, and is made once. */
const inputSchemas = new WeakMap<z.ZodObject, ListedTool['inputSchema']>();

function inputSchemaOf(input: z.ZodObject): ListedTool['inputSchema'] {
  const known = inputSchemas.get(input);
  if (known) return known;
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input', override: trim });
  const whole = withoutNulls(inlined(schema, (schema.$defs ?? {}) as Json)) as Json;
  const made: ListedTool['inputSchema'] = { ...whole, type: 'object', additionalProperties: false };
  inputSchemas.set(input, made);
  return made;
}

/** A tool as `tools/list` shows it: its arguments as JSON Schema 2020-12, its hints as annotations. */
export function listedTool({ name, title, description, input, readOnly, idempotent }: Tool): ListedTool {
  return {
    name,
    title,
    description,
    inputSchema: inputSchemaOf(input),
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: false,
      ...(idempotent && { idempotentHint: true as const }),
      openWorldHint: false,
    },
  };
}

/** All tools of the router as a credential with every scope sees them: the content of `tools.json`. */
export function toolList(toolRouter: RouterLike): ListedTool[] {
  return toolsOf(toolRouter).map(listedTool);
}
